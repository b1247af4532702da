import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ProgressEvent, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

type Command = typeof migrate;
type Swap = (path: string, other: string) => void;

/** Replacements for a file that was found to be a database; `other` is a database that is not a target. */
const SWAPS: [what: string, swap: Swap, named: RegExp][] = [
  ["a link to another database", (path, other) => replace(path, () => symlinkSync(other, path)), /now a symbolic link/],
  [
    "a second name of another database",
    (path, other) => replace(path, () => linkSync(other, path)),
    /now has a second name/,
  ],
  ["nothing", (path) => renameSync(path, `${path}.away`), /no longer exists|no such/],
  ["a directory", (path) => replace(path, () => mkdirSync(path)), /no longer a regular file|a directory/],
];

function replace(path: string, put: () => void): void {
  renameSync(path, `${path}.away`);
  put();
}

function layOut(): { folder: string; path: string; other: string } {
  const [folder, elsewhere] = [freshFolder(), freshFolder()];
  const [path, other] = [join(folder, "m.db"), join(elsewhere, "other.db")];
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 20);
  copyFileSync(path, other);
  mkdirSync(join(folder, "zz"));
  makeDatabase(join(folder, "zz", "last.db"), FIELD_A);
  return { folder, path, other };
}

/** Runs a command and calls a function once, at a given event; after the discovery, or later. */
async function during(command: Command, folder: string, when: (event: ProgressEvent) => boolean, act: () => void) {
  let done = false;
  const report = await command(folder, {
    onProgress: (event) => {
      if (done || !when(event)) return;
      done = true;
      act();
    },
  });
  expect(done).toBe(true);
  return report;
}

const planned = ({ path, stage }: ProgressEvent): boolean => path.endsWith("last.db") && stage === "inspect";

describe.each(SWAPS)("a database that is replaced by %s after the plan", (_what, swap, named) => {
  test.each<[string, Command]>([
    ["up", migrate],
    ["down", downgradeMigration],
  ])("is not changed by %s, nor is the file that it leads to", async (name, command) => {
    const { folder, path, other } = layOut();
    if (name === "down") {
      await migrate(folder);
      rmSync(other);
      copyFileSync(path, other);
    }
    const elsewhere = stampOf(join(other, ".."));
    const report = await during(command, folder, planned, () => swap(path, other));
    expect([1, 3]).toContain(report.exit_code);
    expect(report.databases[0]).toMatchObject({ path, reason: expect.stringMatching(named) });
    expect(stampOf(join(other, ".."))).toBe(elsewhere);
  });
});

test("does not report or change a file that replaces the database during the migration", async () => {
  const { folder, path, other } = layOut();
  const report = await during(
    migrate,
    folder,
    ({ stage }) => stage === "commit",
    () => renameSync(other, path),
  );
  expect(report).toMatchObject({
    exit_code: 3,
    databases: [
      { status: "refused", reason: expect.stringMatching(/another program replaced the database/) },
      { status: "not_started" },
    ],
  });
  expect(await migrate(folder)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "migrated" }, { status: "migrated" }],
  });
});
