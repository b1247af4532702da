import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, type ProgressEvent } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { runBeside } from "../support/program.ts";

test.each([
  ["a rollback journal", "delete", FIELD_A, "metrics"],
  ["a write-ahead log", "wal", FIELD_A, "metrics"],
  ["a rollback journal, documented layout", "delete", DOCUMENTED_15, "interactions"],
] as const)("no other process can write while the lock is held: %s", async (_what, journal, schema, table) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, `PRAGMA journal_mode = ${journal}`, schema);
  addRows(path, table, 500);
  const answers: string[] = [];
  const onProgress = ({ stage }: ProgressEvent): void => {
    if (["backup", "change", "verify", "commit"].includes(stage)) answers.push(runBeside("intruder.ts", path, table));
  };
  expect((await migrate(path, { onProgress })).exit_code).toBe(0);
  expect(answers.length).toBeGreaterThan(4);
  expect(new Set(answers)).toEqual(new Set(["SQLITE_BUSY"]));
  expect(query(path, "SELECT count(*) FROM interactions")).toEqual([[500n]]);
});

test.each([
  ["a rollback journal", "delete", FIELD_A, "metrics"],
  ["a write-ahead log", "wal", FIELD_A, "metrics"],
  ["a rollback journal, documented layout", "delete", DOCUMENTED_15, "interactions"],
] as const)("nor if a program does the work on the files itself: %s", (_what, journal, schema, table) => {
  const path = join(realpathSync(freshFolder()), "m.db");
  makeDatabase(path, `PRAGMA journal_mode = ${journal}`, schema);
  addRows(path, table, 500);
  const { exit_code, answers, open } = JSON.parse(runBeside("migrate_itself.ts", path, table)) as {
    exit_code: number;
    answers: string[];
    open: number;
  };
  expect(exit_code).toBe(0);
  expect(answers.length).toBeGreaterThan(4);
  expect(new Set(answers)).toEqual(new Set(["SQLITE_BUSY"]));
  expect(open).toBe(0);
  expect(query(path, "SELECT count(*) FROM interactions")).toEqual([[500n]]);
});
