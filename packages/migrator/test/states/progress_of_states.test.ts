import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { countText } from "@perdura/cli/quantities.js";
import { expect, test } from "vitest";
import {
  extractArchivedStates,
  type MigrationOptions,
  type MigrationReport,
  planMigration,
  pruneMigration,
  type ProgressEvent,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { stateText, writeOfMany } from "../../../../test/legacy/unusual_states.ts";

type Command = (target: string, options: MigrationOptions) => Promise<MigrationReport>;

/** Progress events of each step, in the order of the steps; a step is a stage with a detail. */
async function stepsOf(command: Command, target: string): Promise<Map<string, ProgressEvent[]>> {
  const steps = new Map<string, ProgressEvent[]>();
  await command(target, {
    onProgress: (event) => {
      const name = `${event.stage}: ${event.detail}`;
      if (event.done !== null) steps.set(name, [...(steps.get(name) ?? []), event]);
    },
  });
  return steps;
}

test.each([1999, 6001])("reports each step on %i states once, up to its total", async (count) => {
  const directory = join(freshFolder(), "empathy_state");
  mkdirSync(directory);
  for (let user = 0; user < count; user += 1) writeOfMany(join(directory, `u${user}.json`), stateText(`u${user}`));
  for (const [command, names] of [
    [planMigration, ["inspect: listing the directory", "inspect: reading state files"]],
    [
      migrate,
      [
        "inspect: listing the directory",
        `archive: writing ${countText(count, "entry", "entries")}`,
        expect.stringMatching(/^read_back: /),
      ],
    ],
    [planMigration, ["inspect: listing the directory", "inspect: comparing the archive with the directory"]],
    [
      verifyMigration,
      [
        "compare: listing the directory",
        "compare: reading state files",
        "compare: checking the archive",
        "compare: comparing the archive with the directory",
      ],
    ],
    [
      (target, options) => pruneMigration(target, { ...options, dryRun: true }),
      [
        "compare: listing the directory",
        "compare: checking the archive",
        "compare: comparing the archive with the directory",
      ],
    ],
  ] as [Command, string[]][]) {
    const steps = await stepsOf(command, directory);
    expect([...steps.keys()]).toEqual(names);
    for (const events of steps.values()) {
      const done = events.map((event) => event.done as number);
      expect(done).toEqual([...new Set(done)].toSorted((one, other) => one - other));
      const { total } = events.at(-1) as ProgressEvent;
      expect(total === null ? count : total).toBe(count);
      expect(total === null || done.at(-1) === total).toBe(true);
    }
  }
});

test("counts each extracted entry once", async () => {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  mkdirSync(directory);
  for (let user = 0; user < 2100; user += 1) writeOfMany(join(directory, `u${user}.json`), stateText(`u${user}`));
  await migrate(directory);
  const reported: number[] = [];
  await extractArchivedStates(`${directory}.v15.sqlar`, join(folder, "x"), {
    onProgress: (done) => reported.push(done),
  });
  expect(reported.slice(0, 2)).toEqual([1000, 2000]);
  expect(new Set(reported.slice(2))).toEqual(new Set([2100]));
});
