import { closeSync, ftruncateSync, mkdirSync, openSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { listArchivedStates, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import type { ProgressEvent } from "../../src/core/progress.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { stateText } from "../../../../test/legacy/unusual_states.ts";
import { runBeside } from "../support/program.ts";

function statesIn(directory: string, count: number, textOf: (user: string) => string = stateText): string {
  mkdirSync(directory, { recursive: true });
  for (let user = 0; user < count; user += 1)
    writeFileSync(join(directory, `user-${user}.json`), textOf(`user-${user}`));
  return directory;
}

/** Makes a sparse file of this many bytes. */
function writeHole(path: string, bytes: number): void {
  const descriptor = openSync(path, "w");
  ftruncateSync(descriptor, bytes);
  closeSync(descriptor);
}

test("archives and verifies a state of more than 16 MiB without parsing it", async () => {
  const directory = statesIn(join(freshFolder(), "empathy_state"), 1);
  writeFileSync(join(directory, "big.json"), `{"user_id": "big", "trust_level": 1, "x": "${"y".repeat(16 << 20)}"}`);
  expect(await planMigration(directory)).toMatchObject({
    exit_code: 0,
    state_directories: [
      { states_ok: 1, states_broken: [{ file: "big.json", reason: expect.stringContaining("more than") }] },
    ],
  });
  expect((await migrate(directory)).exit_code).toBe(0);
  expect(await verifyMigration(directory)).toMatchObject({ state_directories: [{ status: "verified" }] });
  expect([...listArchivedStates(`${directory}.v15.sqlar`)][0]).toMatchObject({ file: "big.json", status: "broken" });
});

test("refuses a file that is too large for an archive before anything is changed", async () => {
  const directory = statesIn(join(freshFolder(), "empathy_state"), 1);
  writeHole(join(directory, "huge.bin"), 1_000_000_000);
  for (const report of [await planMigration(directory), await migrate(directory)])
    expect(report).toMatchObject({
      exit_code: 3,
      state_directories: [{ status: "refused", reason: expect.stringMatching(/huge\.bin.*more than \d+ bytes/) }],
    });
});

test.each([
  ["a state", "late.json"],
  ["the directory itself", ""],
])("refuses a time after 2262 of %s before anything is changed", async (_what, name) => {
  const folder = freshFolder();
  makeDatabase(join(folder, "metrics.db"), FIELD_A);
  const directory = statesIn(join(folder, "empathy_state"), 1);
  writeFileSync(join(directory, "late.json"), stateText("late"));
  utimesSync(join(directory, name), LATE, LATE);
  for (const report of [await planMigration(folder), await migrate(folder)])
    expect(report).toMatchObject({
      exit_code: 3,
      state_directories: [{ status: "refused", reason: expect.stringContaining(name || directory) }],
    });
  expect(readdirSync(folder).toSorted()).toEqual(["empathy_state", "metrics.db"]);
});

/** In the year 2300; file systems that end earlier are not supported by these tests. */
const LATE = "10413792000";

test("lists a thousand unusual states, and counts the others", async () => {
  const unusual = statesIn(join(freshFolder(), "empathy_state"), 1203, () => '{"trust_level": 0.5}');
  for (let user = 0; user < 1002; user += 1) writeFileSync(join(unusual, `broken-${user}.json`), "{");
  const plan = await planMigration(unusual);
  const done = await migrate(unusual);
  for (const {
    state_directories: [report],
  } of [plan, done]) {
    expect(report).toMatchObject({ states_ok: 1203, entries: 2205 });
    expect([report?.states_unusual.length, report?.states_broken.length]).toEqual([1000, 1000]);
    expect(report?.notes).toEqual([
      expect.stringMatching(/^not listed: 203 more states with unusual values/),
      expect.stringMatching(/^not listed: 2 more states that cannot be read/),
    ]);
  }
  const [planned, archived] = [plan.state_directories[0], done.state_directories[0]];
  // The free space varies.
  expect(archived).toEqual({ ...planned, status: "archived", archive: archived?.archive, disk: archived?.disk });
});

describe("with several thousand states", () => {
  // An interrupted run leaves it unchanged, for the next one.
  const directory = join(freshFolder(), "empathy_state");
  beforeAll(() => void statesIn(directory, 2500));

  test.each(["inspect", "archive", "read_back"])("a request to stop arrives in the middle of %s", async (stage) => {
    const controller = new AbortController();
    const report = await migrate(directory, {
      signal: controller.signal,
      onProgress: (event) => {
        if (event.stage === stage && event.done === 2000) controller.abort();
      },
    });
    expect(report.exit_code).toBe(130);
    expect(await planMigration(directory)).toMatchObject({ state_directories: [{ status: "planned" }] });
  });

  describe("that are archived", () => {
    const events: ProgressEvent[] = [];
    beforeAll(async () => void (await migrate(directory, { onProgress: (event) => events.push(event) })));

    test("progress is reported after every thousand entries, with the total", () => {
      const reported = events
        .filter(({ done }) => done !== null)
        .map(({ stage, done, total, unit }) => [stage, done, total, unit]);
      expect(reported).toEqual(
        expect.arrayContaining([
          ["archive", 1000, 2500, "entries"],
          ["archive", 2000, 2500, "entries"],
          ["read_back", 1000, 2500, "entries"],
          ["read_back", 2000, 2500, "entries"],
        ]),
      );
    });

    test("rows of an archive are sorted by the bytes of their names", () => {
      const database = connect(`${directory}.v15.sqlar`, { readonly: true });
      const names = database.prepare("SELECT name FROM sqlar ORDER BY rowid").pluck().all() as string[];
      database.close();
      expect(names).toHaveLength(2500);
      expect(names).toEqual(names.toSorted());
    });
  });
});

test("memory does not grow with the number of states", () => {
  const megabytes = (count: number): number =>
    Number(runBeside("peak_memory.ts", statesIn(join(freshFolder(), "empathy_state"), count)));
  const [small, large] = [megabytes(10), megabytes(20_000)];
  // Garbage that the engine's heap may hold before a collection; a listing in memory would need more.
  expect(large - small).toBeLessThan(35);
});
