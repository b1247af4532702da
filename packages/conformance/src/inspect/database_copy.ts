import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { numberFromBigInt, numberFromDouble } from "../values/numbers.ts";
import type { JsonValue } from "../values/json_value.ts";

/** A result row: column names and values as they travel. */
type Row = Record<string, JsonValue>;

/** A database that may be changed at will: a copy, or one that is being made. */
export interface ScratchDatabase {
  /** Rows of a query or a pragma. */
  rows(sql: string, ...values: string[]): Row[];
  /** Runs one statement. */
  run(sql: string): void;
  close(): void;
}

/**
 * Copies a database with its write-ahead log and journal and opens the copy: what only the log holds is seen, and the
 * original stays as the implementation left it. Nothing in this process may have the original open: closing any
 * descriptor of a file drops all POSIX locks that the process holds on it.
 * @param path the implementation's file.
 * @param scratch a folder of the suite; the copy is removed again on closing.
 */
export function openCopy(path: string, scratch: string): ScratchDatabase {
  const folder = mkdtempSync(join(scratch, "copy-"));
  const copy = join(folder, "copy.db");
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  }
  const database = openDatabase(copy);
  return {
    ...database,
    close() {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Opens or makes a database of the suite's own. Foreign keys are enforced. */
export function openDatabase(path: string): ScratchDatabase {
  const database = new Database(path);
  database.defaultSafeIntegers(true);
  database.pragma("foreign_keys = ON");
  return {
    rows: (sql, ...values) => (database.prepare(sql).all(...values) as Record<string, unknown>[]).map(portableRow),
    run: (sql) => void database.exec(sql),
    close: () => void database.close(),
  };
}

function portableRow(row: Record<string, unknown>): Row {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, portable(value)]));
}

function portable(value: unknown): JsonValue {
  if (typeof value === "bigint") return numberFromBigInt(value);
  if (typeof value === "number") return numberFromDouble(value);
  if (Buffer.isBuffer(value)) return { $bytes: value.toString("hex") };
  return value as string | null;
}

/** True when SQLite refused a statement because of a constraint, and not because it is wrong. */
export function isConstraint(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_CONSTRAINT");
}
