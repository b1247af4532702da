import { expect, test } from "vitest";
import { withSlicedWaits, isBusy, waitInSlices, waitWhileBusy, withBusyTimeout } from "../src/sqlite/busy.ts";
import { type Database, openDatabase } from "../src/sqlite/open_database.ts";
import { newPath } from "./rollup/databases.ts";

/** Opens a database in write-ahead mode, with a function that returns SQLite's busy time-out in milliseconds. */
function opened(): { database: Database; waited: () => unknown } {
  const database = openDatabase(newPath(), { intent: "record" });
  database.pragma("journal_mode = wal");
  return { database, waited: () => database.pragma("busy_timeout", { simple: true }) };
}

test.each([
  { timeoutMs: 0, sliceMs: 0, patienceMs: 0 },
  { timeoutMs: 5, sliceMs: 5, patienceMs: 5 },
  { timeoutMs: 30_000, sliceMs: 10, patienceMs: 50 },
])("waits at most the busy time-out: $timeoutMs ms", ({ timeoutMs, sliceMs, patienceMs }) => {
  const { database, waited } = opened();
  const waits = waitInSlices(database, timeoutMs);
  expect(waits).toEqual({ timeoutMs, sliceMs });
  expect(waited()).toBe(sliceMs);
  expect(withBusyTimeout(database, 50, waits, waited)).toBe(patienceMs);
  expect(waited()).toBe(sliceMs);
  database.close();
});

test("with a rollback journal, SQLite itself waits for the whole timeout", () => {
  const { database, waited } = opened();
  database.pragma("journal_mode = delete");
  expect(waitInSlices(database, 7000)).toEqual({ timeoutMs: 7000, sliceMs: 7000 });
  expect(waited()).toBe(30_000);
  database.close();
});

test.each([
  ["SQLITE_BUSY", true],
  ["SQLITE_BUSY_SNAPSHOT", true],
  ["SQLITE_LOCKED", true],
  ["SQLITE_LOCKED_SHAREDCACHE", true],
  ["SQLITE_FULL", false],
  ["EBUSY", false],
  [5, false],
  [undefined, false],
])("isBusy for the code %s is %s", (code, expected) => {
  expect(isBusy(Object.assign(new Error(), { code }))).toBe(expected);
});

test("isBusy is false for values that are not errors", () => {
  expect([isBusy(undefined), isBusy(null), isBusy("SQLITE_BUSY")]).toEqual([false, false, false]);
});

test("retries a locked database until the timeout", () => {
  const { database } = opened();
  const writer = openDatabase(database.name, { intent: "change" });
  writer.exec("BEGIN IMMEDIATE");
  database.pragma("busy_timeout = 0");
  let tries = 0;
  const write = (): void => {
    tries += 1;
    if (tries === 3) writer.exec("COMMIT");
    database.exec(`CREATE TABLE "at try ${tries}" (x)`);
  };
  waitWhileBusy(0x7fffffff, write);
  expect(tries).toBe(3);
  tries = 0;
  writer.exec("BEGIN IMMEDIATE");
  expect(() => waitWhileBusy(0, write)).toThrow(expect.toSatisfy(isBusy));
  expect(tries).toBe(1);
  writer.close();
  database.close();
});

test("waits in intervals only during the task, also with a rollback journal", () => {
  const { database, waited } = opened();
  const waits = { timeoutMs: 7000, sliceMs: 7000 };
  expect(withSlicedWaits(database, waits, waited)).toBe(10);
  expect(waited()).toBe(7000);
  expect(withSlicedWaits(database, { timeoutMs: 5, sliceMs: 5 }, waited)).toBe(7000);
  database.close();
});
