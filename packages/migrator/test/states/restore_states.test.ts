import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import type { StateDirectoryReport } from "../../src/core/report.ts";
import { planRestore, restoreStates } from "../../src/archive/restore/restore_states.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { makeUnusualStates, stateText } from "../../../../test/legacy/unusual_states.ts";
import { archived, ran, restored } from "../support/restoring.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";
import { needs } from "../../../../test/needs.ts";

test.each([
  ["odd entries", makeUnusualStates],
  ...(["documented", "field", "broken"] as const).map((set) => [
    `the set ${set}`,
    (directory: string): void => void layOutStates(set, directory),
  ]),
  [
    "a directory that only its owner may enter",
    (directory: string): void => {
      makeUnusualStates(directory);
      chmodSync(directory, 0o500);
    },
  ],
] as [string, (directory: string) => void][])("restores a missing directory exactly: %s", async (_what, layOut) => {
  const directory = await archived(layOut);
  const before = treeStamp(directory);
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true });
  expect(await restored(directory)).toMatchObject({ status: "restored", notes: [] });
  expect(treeStamp(directory)).toBe(before);
  expect(existsSync(`${directory}.v15.sqlar`)).toBe(true);
  expect(await restored(directory)).toMatchObject({ status: "nothing_to_do", restored: 0 });
  expect(treeStamp(directory)).toBe(before);
});

test("restores missing entries, and the former times of an otherwise unchanged directory", async () => {
  const directory = await archived();
  const before = treeStamp(directory);
  rmSync(join(directory, "inner"), { recursive: true });
  rmSync(join(directory, "alice.json"));
  rmSync(join(directory, "0 dangling.json"));
  expect(await restored(directory)).toMatchObject({ status: "restored", restored: 5, notes: [] });
  expect(treeStamp(directory)).toBe(before);
});

test("keeps and reports changed and new entries", async () => {
  const directory = await archived();
  rmSync(join(directory, "inner"), { recursive: true });
  writeFileSync(join(directory, "inner"), "a file now");
  writeFileSync(join(directory, "alice.json"), "changed");
  writeFileSync(join(directory, "new.json"), stateText("new"));
  rmSync(join(directory, "bob.json"));
  const { status, restored: count, notes } = await restoreAfterPlan(directory);
  expect({ status, count }).toEqual({ status: "restored", count: 1 });
  expect(notes.join("\n")).toMatch(/alice\.json has different content.*inner was a directory and is a file/);
  expect(notes.join("\n")).toMatch(/kept unchanged: 1 entry/);
  expect(notes.join("\n")).toMatch(/not restored.*inner\/hollow, inner\/notes\.txt/);
  expect(readFileSync(join(directory, "alice.json"), "utf8")).toBe("changed");
  expect(readFileSync(join(directory, "bob.json"), "utf8")).toBe(stateText("bob"));
  expect(readFileSync(join(directory, "inner"), "utf8")).toBe("a file now");
});

/** The obstacle shows only during the restoration, not in the plan. */
async function restoreAfterPlan(directory: string): Promise<StateDirectoryReport> {
  expect(await ran(planRestore, directory)).toMatchObject({ status: "planned" });
  return ran(restoreStates, directory);
}

test("restores owners", needs("root", process.geteuid?.() !== 0), async () => {
  const directory = await archived((path) => {
    makeUnusualStates(path);
    for (const name of ["alice.json", "inner", "0 dangling.json"]) lchownSync(join(path, name), 1234, 2345);
    lchownSync(path, 3456, 4567);
  });
  const ownersOf = (name: string): number[] => {
    const { uid, gid } = lstatSync(join(directory, name));
    return [uid, gid];
  };
  rmSync(directory, { recursive: true });
  expect(await restored(directory)).toMatchObject({ status: "restored" });
  expect(["", "alice.json", "inner", "0 dangling.json", "bob.json"].map(ownersOf)).toEqual([
    [3456, 4567],
    [1234, 2345],
    [1234, 2345],
    [1234, 2345],
    [0, 0],
  ]);
});

test("restores an empty directory", async () => {
  const directory = await archived();
  const database = connect(`${directory}.v15.sqlar`);
  database.exec("DELETE FROM sqlar; DELETE FROM entries; DELETE FROM states");
  database.close();
  rmSync(directory, { recursive: true });
  expect(await ran(restoreStates, directory)).toMatchObject({ status: "restored" });
  expect(readdirSync(directory)).toEqual([]);
  expect(statSync(directory, { bigint: true }).mtimeNs % 1_000_000_000n).toBe(987_654_321n);
});

test("restores times to the microsecond without touch, and reports it", async () => {
  const directory = await archived();
  const before = timesIn(directory);
  rmSync(directory, { recursive: true });
  vi.stubEnv("PATH", "/nowhere");
  try {
    expect(await ran(restoreStates, directory)).toMatchObject({
      status: "restored",
      notes: [expect.stringMatching(/^\d+ times restored to the microsecond only/)],
    });
  } finally {
    vi.unstubAllEnvs();
  }
  for (const [index, time] of timesIn(directory).entries())
    expect(Math.abs(Number(time - (before[index] as bigint)))).toBeLessThan(1000);
});

function timesIn(directory: string): bigint[] {
  return [...treeStamp(directory).matchAll(/ [0-7]{5,6} (-?\d+)(?= |$)/gm)].map(([, time]) => BigInt(time as string));
}
