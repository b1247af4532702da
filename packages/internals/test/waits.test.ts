import { expect, test } from "vitest";
import { waitInStretches, withPatience } from "../src/sqlite/busy.ts";
import { type Database, openDatabase } from "../src/sqlite/open_database.ts";
import { newPath } from "./rollup/databases.ts";

/** Opens a database in write-ahead mode, and what asks how long SQLite waits on it, in milliseconds. */
function opened(): { database: Database; waited: () => unknown } {
  const database = openDatabase(newPath(), { access: "create" });
  database.pragma("journal_mode = wal");
  return { database, waited: () => database.pragma("busy_timeout", { simple: true }) };
}

test.each([
  { timeoutMs: 0, stretchMs: 0, patienceMs: 0 },
  { timeoutMs: 5, stretchMs: 5, patienceMs: 5 },
  { timeoutMs: 30_000, stretchMs: 10, patienceMs: 50 },
])("patience of 50 ms never exceeds the time-out: $timeoutMs ms", ({ timeoutMs, stretchMs, patienceMs }) => {
  const { database, waited } = opened();
  const waits = waitInStretches(database, timeoutMs);
  expect(waits).toEqual({ timeoutMs, stretchMs });
  expect(waited()).toBe(stretchMs);
  expect(withPatience(database, 50, waits, waited)).toBe(patienceMs);
  expect(waited()).toBe(stretchMs);
  database.close();
});

test("with a rollback journal SQLite itself waits all the time: who waits to commit keeps new readers out", () => {
  const { database, waited } = opened();
  database.pragma("journal_mode = delete");
  expect(waitInStretches(database, 7000)).toEqual({ timeoutMs: 7000, stretchMs: 7000 });
  expect(waited()).toBe(30_000);
  database.close();
});
