import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  extractArchivedStates,
  listArchivedStates,
  migrationStatus,
  planMigration,
  pruneMigration,
  downgradeMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

type Anything = (...values: unknown[]) => Promise<unknown>;

const COMMANDS = Object.entries({
  planMigration,
  migrate,
  verifyMigration,
  migrationStatus,
  downgradeMigration,
  pruneMigration,
}) as [string, Anything][];

/** Data that every command can work on. */
function layOut(): string {
  const folder = freshFolder();
  mkdirSync(join(folder, "empathy_state"));
  writeFileSync(join(folder, "empathy_state", "a.json"), '{"user_id": "a", "trust_level": 1}');
  makeDatabase(join(folder, "m.db"), FIELD_A);
  addRows(join(folder, "m.db"), "metrics", 3);
  return folder;
}

const wrong = (sentence: string): object => ({
  code: "PERDURA_VALIDATION",
  message: expect.stringMatching(new RegExp(`^${sentence}.*Nothing was changed\\.$`)),
});

test.each(COMMANDS)("%s names an invalid target", async (_name, command) => {
  for (const [targets, found] of [
    [undefined, "undefined"],
    [null, "null"],
    [5, "5"],
    [new URL("file:///tmp"), "an object of class URL"],
    [[], "an array of 0"],
    [["a", 5], "5"],
    [Array.from({ length: 1 }), "undefined"],
    ["", '""'],
    ["a\0", '"a\\\\u0000"'],
  ] as const)
    await expect(command(targets)).rejects.toMatchObject(wrong(`targets: expected .*, got ${found}`));
});

test.each(COMMANDS)("%s names an invalid option", async (name, command) => {
  const folder = layOut();
  const before = stampOf(folder);
  for (const [options, sentence] of [
    [null, `options: expected an object with options of ${name}, got null`],
    ["x", `options: expected an object with options of ${name}, got "x"`],
    [[], `options: expected an object with options of ${name}, got an array of 0`],
    [{ dryrun: true }, `options: ${name} has no option "dryrun"; expected one of .*`],
    [{ onProgress: 5 }, "onProgress: expected a function, got 5"],
    [{ stateDirectories: "x" }, 'stateDirectories: expected an array of paths, got "x"'],
    [{ stateDirectories: [5] }, "stateDirectories: expected an existing directory, .*, got 5"],
    [{ stateDirectories: [join(folder, "m.db")] }, "stateDirectories: expected an existing directory, .*"],
    [{ backupDir: null }, "backupDir: expected an existing directory, got null"],
    [{ backupDir: "a\0" }, "backupDir: expected an existing directory, got .*"],
    [{ signal: {} }, "signal: expected an AbortSignal, got an object"],
    [{ busyTimeoutMs: "x" }, 'busyTimeoutMs: expected an integer of milliseconds .*, got "x"'],
    [{ busyTimeoutMs: -1 }, "busyTimeoutMs: .*, got -1"],
    [{ busyTimeoutMs: Number.NaN }, "busyTimeoutMs: .*, got NaN"],
  ] as const)
    await expect(command(folder, options)).rejects.toMatchObject(wrong(sentence));
  expect(stampOf(folder)).toBe(before);
});

const OWN: Record<string, Record<string, unknown>> = {
  migrate: { backup: "no", rehearse: 1, saveReport: "", missingLevel: [3], fence: null },
  downgradeMigration: { dryRun: "yes", backup: 0, saveReport: null },
  pruneMigration: { dryRun: "yes", pruneBackups: 1, saveReport: null },
};

test.each(COMMANDS)("%s refuses unknown options", async (name, command) => {
  const folder = layOut();
  const before = stampOf(folder);
  // Options of `migrate` are valid for its plan as well.
  const own = Object.keys(OWN[name === "planMigration" ? "migrate" : name] ?? {});
  for (const [other, options] of Object.entries(OWN))
    for (const [option, value] of Object.entries(options)) {
      const sentence = own.includes(option)
        ? `${option}: expected .*`
        : `options: ${name} has no option "${option}" \\(an option of .*${other}`;
      await expect(command(folder, { [option]: value })).rejects.toMatchObject(wrong(sentence));
      // As with an object that has a key for every option.
      if (command === planMigration) await command(folder, { [option]: undefined });
    }
  expect(stampOf(folder)).toBe(before);
});

test("the functions for archives name invalid arguments", async () => {
  const folder = freshFolder();
  const [list, extract] = [listArchivedStates as (archive: unknown) => unknown, extractArchivedStates as Anything];
  for (const value of [5, "", undefined, "a\0"]) {
    expect(() => list(value)).toThrow(expect.objectContaining(wrong("archive: expected the path of an archive, .*")));
    await expect(extract(value, folder)).rejects.toMatchObject(wrong("archive: expected the path of an archive, .*"));
    await expect(extract("a", value)).rejects.toMatchObject(
      wrong("directory: expected the path of a new or empty directory"),
    );
  }
  for (const [options, sentence] of [
    [null, "options: expected an object with options of extractArchivedStates, got null"],
    [{ onprogress: 5 }, 'options: extractArchivedStates has no option "onprogress"; expected one of onProgress'],
    [{ onProgress: 5 }, "onProgress: expected a function, got 5"],
  ] as const)
    await expect(extract("a", "b", options)).rejects.toMatchObject(wrong(sentence));
});
