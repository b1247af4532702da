import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_WAITS, type OpenOptions, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { isOpenInProcess } from "@perdura/internals/files/open_files.js";
import { useWriteAheadLog } from "@perdura/internals/sqlite/write_ahead_log.js";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";

function directory(): string {
  const path = freshFolder();
  return path;
}

function settings(options: OpenOptions, wal = false): Record<string, unknown> {
  const path = join(directory(), "x.db");
  const database = openDatabase(path, options);
  if (wal) useWriteAheadLog(database, path);
  onTestFinished(() => void database.close());
  const names = [
    "journal_mode",
    "synchronous",
    "foreign_keys",
    "trusted_schema",
    "cell_size_check",
    "query_only",
    "busy_timeout",
  ];
  return Object.fromEntries(names.map((name) => [name, database.pragma(name, { simple: true })]));
}

const SAFE = { foreign_keys: 1, trusted_schema: 0, cell_size_check: 1, query_only: 0, busy_timeout: 30_000 };
const [NORMAL, EXTRA] = [1, 3];

test("full durability syncs every commit and the directory of the journal", () => {
  expect(settings({ intent: "record" })).toEqual({ ...SAFE, journal_mode: "delete", synchronous: EXTRA });
  expect(settings({ intent: "record", durability: "full" }, true)).toEqual({
    ...SAFE,
    journal_mode: "wal",
    synchronous: EXTRA,
  });
});

test("normal durability syncs at checkpoints only", () => {
  expect(settings({ intent: "record", durability: "normal", busyTimeoutMs: 5 }, true)).toEqual({
    ...SAFE,
    journal_mode: "wal",
    synchronous: NORMAL,
    busy_timeout: 5,
  });
});

test("a query cannot write, and only `record` creates a file", () => {
  const place = directory();
  const path = join(place, "x.db");
  for (const intent of ["copy", "read", "change"] as const) {
    expect(() => openDatabase(path, { intent })).toThrow(
      expect.objectContaining({
        code: "PERDURA_FILE_NOT_FOUND",
        path,
        message: `${path}: no such database file. Nothing was created.`,
      }),
    );
  }
  expect(readdirSync(place)).toEqual([]);
  writeFileSync(path, "");
  for (const intent of ["copy", "read"] as const) {
    const database = openDatabase(path, { intent });
    expect(() => database.exec("CREATE TABLE t (x)")).toThrow(/readonly/);
    database.close();
  }
});

test("isOpenInProcess is true for a database that is open in this process", () => {
  const path = join(directory(), "x.db");
  const database = openDatabase(path, { intent: "record" });
  expect(isOpenInProcess(path)).toBe(true);
  database.close();
  expect(isOpenInProcess(path)).toBe(false);
});

test("the default busy time-out of a connection equals DEFAULT_WAITS", () => {
  const { busy_timeout } = settings({ intent: "record" });
  expect(DEFAULT_WAITS).toEqual({ timeoutMs: busy_timeout, sliceMs: busy_timeout });
});
