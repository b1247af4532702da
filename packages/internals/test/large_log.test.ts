import { statSync } from "node:fs";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { waitInSlices } from "../src/sqlite/busy.ts";
import { LargeLog } from "../src/sqlite/large_log.ts";
import { type Database, openDatabase } from "../src/sqlite/open_database.ts";
import { newPath } from "./rollup/databases.ts";

const MEGABYTE = 1024 * 1024;

// The clock stops between two checks, unless a test sets it.
beforeEach(() => void vi.useFakeTimers({ toFake: ["hrtime"] }));
afterEach(() => void vi.useRealTimers());

/**
 * A database that waits 10 ms at a time, with the checker of its log, a function that grows the log by megabytes, and
 * one that returns its size in bytes.
 */
function opened(): { large: LargeLog; grow: (megabytes: number) => void; size: () => number; database: Database } {
  const path = newPath();
  const database = openDatabase(path, { intent: "record" });
  onTestFinished(() => void database.close());
  database.pragma("journal_mode = wal");
  database.pragma("synchronous = OFF");
  database.pragma("wal_autocheckpoint = 0");
  database.exec("CREATE TABLE filler (x)");
  return {
    database,
    large: new LargeLog(database, path, waitInSlices(database, 100)),
    grow: (megabytes) => database.prepare("INSERT INTO filler VALUES (zeroblob(?))").run(megabytes * MEGABYTE),
    size: () => statSync(`${path}-wal`).size,
  };
}

test("empties a log of more than 64 MB at every 256th row", () => {
  const { large, grow, size } = opened();
  grow(65);
  large.wrote(1, true);
  large.wrote(254, true);
  expect(size()).toBeGreaterThan(64 * MEGABYTE);
  large.wrote(1, true);
  expect(size()).toBe(0);
});

test("does not empty a smaller log, after any number of rows", () => {
  const { large, grow, size } = opened();
  grow(63);
  large.wrote(100_000, true);
  expect(size()).toBeGreaterThan(63 * MEGABYTE);
  expect(size()).toBeLessThan(64 * MEGABYTE);
});

test("waits five seconds between emptying logs", () => {
  const { large, grow, size } = opened();
  const empty = (): boolean => {
    large.wrote(256, true);
    return size() === 0;
  };
  grow(65);
  expect(empty()).toBe(true);
  grow(65);
  expect(empty()).toBe(false);
  vi.advanceTimersByTime(4999);
  expect(empty()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(empty()).toBe(true);
});

test("retries a log that others read only after five seconds, and keeps the busy time-out", () => {
  const { database, large, grow, size } = opened();
  const reader = openDatabase(database.name, { intent: "read" });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM filler").get();
  grow(65);
  large.wrote(256, false);
  expect(database.pragma("busy_timeout", { simple: true })).toBe(10);
  reader.close();
  large.wrote(256, false);
  expect(size()).toBeGreaterThan(64 * MEGABYTE);
  vi.advanceTimersByTime(5000);
  large.wrote(256, false);
  expect(size()).toBe(0);
});
