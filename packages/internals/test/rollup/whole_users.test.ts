import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { watchWriters } from "../../src/sqlite/pauses.ts";
import { declareKeys } from "../../src/metrics/keys/declared_keys.ts";
import { auditRollup } from "../../src/metrics/rollup/audit.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { differences } from "./compare.ts";
import { addRows, asked, newPath, SMALL } from "./databases.ts";

const valueOf = (database: Database, sql: string): unknown => database.prepare(sql).pluck().get();

const STALE = "SELECT count(*) FROM perdura_stale_users";
const OPERATIONS = "SELECT operations FROM perdura_rollup";
const WATERMARK = "SELECT watermark FROM perdura_rollup";

test("new rows that are most of all are summed in the order of users, in steps that can end at any time", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 100);
  const steps = rollup.folding(() => 0);
  steps.next();
  expect([STALE, WATERMARK, OPERATIONS].map((sql) => valueOf(database, sql))).toEqual([3, 100, 4]);
  for (const _ of steps) expect(differences(rollup, allRows)).toEqual([]);
  addRows(database, 10);
  rollup.foldAll();
  expect(valueOf(database, OPERATIONS)).toBe(110);
  expect(auditRollup(database, "level")?.differences).toEqual([]);
  expect(differences(rollup, allRows)).toEqual([]);
});

test("several users are summed in one step, and their former sums are removed from those of the days", () => {
  const { database, rollup, allRows } = asked(newPath(), { ...SMALL, piece: 1000 });
  addRows(database, 30);
  rollup.foldAll();
  database.exec(
    "UPDATE interactions SET timestamp = '2024-01-0' || (1 + id % 3) || ' 10:00:00', response_time_ms = id",
  );
  expect(valueOf(database, STALE)).toBe(3);
  const steps = rollup.refreshing(() => 0);
  steps.next();
  expect(valueOf(database, STALE)).toBe(0);
  while (steps.next().done !== true);
  expect(auditRollup(database, "level")?.differences).toEqual([]);
  expect(differences(rollup, allRows)).toEqual([]);
});

test("few new rows are summed in the order of their ids", () => {
  const { database, rollup } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  addRows(database, 20);
  for (const _ of rollup.folding(() => 0)) expect(valueOf(database, STALE)).toBe(0);
  expect(valueOf(database, OPERATIONS)).toBe(50);
});

test("without an index of users, rows are summed in the order of their ids", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  database.exec("DROP INDEX idx_interactions_user");
  for (const _ of rollup.folding(() => 0)) expect(valueOf(database, STALE)).toBe(0);
  expect(differences(rollup, allRows)).toEqual([]);
});

test("rows of a user without sums are many: a question about all users reads all rows once", () => {
  const { database, rollup, allRows } = asked(newPath(), { ...SMALL, budgetMs: 0 });
  addRows(database, 100);
  const steps = rollup.folding(() => 0);
  steps.next();
  steps.return();
  // The sums would be wrong, so the answer shows that they were not used.
  database.exec("UPDATE perdura_rollup SET successes = 999");
  const { database: other, rollup: locked } = asked(database.name, SMALL);
  database.exec("BEGIN IMMEDIATE");
  expect(locked.global()).toEqual(allRows.global());
  database.exec("ROLLBACK");
  other.close();
});

test("commits of other connections are noticed, and own ones are not", () => {
  const { database } = asked(newPath());
  const other = new Sqlite(database.name);
  onTestFinished(() => void other.close());
  const haveOthersWritten = watchWriters(database);
  expect(haveOthersWritten()).toBe(false);
  addRows(database, 1);
  expect(haveOthersWritten()).toBe(false);
  addRows(other, 1);
  expect([haveOthersWritten(), haveOthersWritten()]).toEqual([true, false]);
});

test("sums by the values of keys are removed of every user, also where all rows were deleted", () => {
  const { database, rollup } = asked(newPath());
  declareKeys(database, { keys: ["tool"], numbers: [] }, database.name);
  addRows(database, 30);
  rollup.foldAll();
  database.exec("DELETE FROM interactions");
  rollup.foldAll();
  expect(valueOf(database, "SELECT count(*) FROM perdura_user_key_days")).toBe(0);
});
