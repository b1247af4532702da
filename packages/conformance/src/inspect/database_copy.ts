import { chmodSync, constants, copyFileSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { JsonValue } from "../values/json_value.ts";
import { numberFromBigInt, numberFromDouble } from "../values/numbers.ts";

/** A result row: column names and values as they travel. */
type Row = Record<string, JsonValue>;

/** A database that may be changed at will: a copy, or one that is being made. */
export interface ScratchDatabase {
  /** Rows of a query or a pragma. */
  rows(sql: string, ...values: string[]): Row[];
  /** The same rows one by one, as arrays of what SQLite stores; see {@link StoredValue}. */
  each(sql: string): Iterable<StoredValue[]>;
  /** Runs one statement. */
  run(sql: string): void;
  close(): void;
}

/** A value that tells its storage class: a `bigint` is an integer, a `number` a real, a `Buffer` a blob. */
export type StoredValue = null | bigint | number | string | Buffer;

const PARTS = ["", "-wal", "-shm", "-journal"];

/**
 * Copies a database with its write-ahead log and journal and opens the copy: what only the log holds is seen, and the
 * original stays as the implementation left it. Nothing in this process may have the original open: closing any
 * descriptor of a file drops all POSIX locks that the process holds on it. Functions with side effects are out of
 * reach of the schema, because its author may be anybody.
 * @param path the implementation's file.
 * @param scratch a folder of the suite; the copy is removed again on closing.
 * @throws {Error} when the file changes while it is copied, again and again.
 */
export function openCopy(path: string, scratch: string): ScratchDatabase {
  const folder = mkdtempSync(join(scratch, "copy-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "copy.db");
    // The log lies beside the file itself, not beside a link to it.
    copyQuietDatabase(realpathSync(path), copy);
    const database = openDatabase(copy);
    database.run("PRAGMA trusted_schema = OFF");
    return {
      ...database,
      close() {
        database.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A copy from the middle of somebody's writing would be judged for what nobody wrote. */
function copyQuietDatabase(path: string, copy: string): void {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const before = stateOf(path);
    for (const part of PARTS) {
      rmSync(copy + part, { force: true });
      // A pipe of such a name would never be read to its end.
      if (!statSync(path + part, { throwIfNoEntry: false })?.isFile()) continue;
      copyFileSync(path + part, copy + part, constants.COPYFILE_FICLONE);
      chmodSync(copy + part, 0o600);
    }
    if (stateOf(path) === before) return;
  }
  throw new Error(
    `${path} is being written: it changed three times while it was copied. It was left as it is; stop the program that uses it and try again`,
  );
}

function stateOf(path: string): string {
  // The index of the log is only shared memory: readers change it, too.
  return PARTS.filter((part) => part !== "-shm")
    .map((part) => statSync(path + part, { throwIfNoEntry: false, bigint: true }))
    .map((state) => (state === undefined ? "none" : `${state.size} ${state.mtimeNs}`))
    .join(", ");
}

/** Opens or makes a database of the suite's own. Foreign keys are enforced. */
export function openDatabase(path: string): ScratchDatabase {
  const database = new Database(path);
  database.defaultSafeIntegers(true);
  database.pragma("foreign_keys = ON");
  return {
    rows: (sql, ...values) => (database.prepare(sql).all(...values) as Record<string, unknown>[]).map(portableRow),
    each: (sql) => database.prepare(sql).raw(true).iterate() as Iterable<StoredValue[]>,
    run: (sql) => void database.exec(sql),
    close: () => void database.close(),
  };
}

function portableRow(row: Record<string, unknown>): Row {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, portable(value)]));
}

/** A stored value as it travels: exact numbers, blobs as `{"$bytes": "<hexadecimal>"}`. */
export function portable(value: unknown): JsonValue {
  if (typeof value === "bigint") return numberFromBigInt(value);
  if (typeof value === "number") return numberFromDouble(value);
  if (Buffer.isBuffer(value)) return { $bytes: value.toString("hex") };
  return value as string | null;
}

/** True when SQLite refused a statement because of a constraint, and not because it is wrong. */
export function isConstraint(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_CONSTRAINT");
}

/**
 * What goes wrong with this machine, and says nothing about a file. Our copy can be written: plain READONLY is what a header
 * says that is of a later version; a read that ends too early is one of a file that ends too early.
 */
const HOST = /^SQLITE_(?:NOMEM|IOERR(?!_SHORT_READ)|CANTOPEN|READONLY_|BUSY|LOCKED|FULL|INTERRUPT)/;

/** True for an error of SQLite that is about the database under judgement: there it is an answer, and no fault of ours. */
export function isAboutDatabase(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && !HOST.test(error.code);
}

/** True when an insert failed because the disk is full, or because the table has used up its ids. */
export function isFull(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && error.code === "SQLITE_FULL";
}

const VIRTUAL = /^create(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)+virtual\b/i;

/**
 * True for the text of a virtual table. It has no root page, unless somebody forged one. SQLite takes comments for blanks.
 *
 * @param sql what `sqlite_schema` has.
 */
export function isVirtualTable(sql: unknown, rootpage: unknown): boolean {
  return Number(rootpage) <= 0 || VIRTUAL.test(String(sql));
}

/**
 * What SQLite finds wrong with a file (`PRAGMA integrity_check`); nothing in a sound one.
 *
 * Virtual tables would be asked to check themselves, and one of them may take its rows from a view that has no end. So
 * where there are any, the ordinary tables are checked one by one; what virtual tables store lies in ordinary ones.
 */
export function* brokenIntegrity(copy: ScratchDatabase): Generator<string, void, undefined> {
  const tables = [...copy.each("SELECT name, sql, rootpage FROM sqlite_schema WHERE type = 'table'")];
  const ordinary = tables.filter(([, sql, rootpage]) => !isVirtualTable(sql, rootpage));
  if (ordinary.length === tables.length) return yield* faults(copy, "1000");
  for (const [name] of [["sqlite_schema"], ...ordinary]) yield* faults(copy, `"${String(name).replaceAll('"', '""')}"`);
}

function* faults(copy: ScratchDatabase, argument: string): Generator<string, void, undefined> {
  for (const [message] of copy.each(`PRAGMA integrity_check(${argument})`)) if (message !== "ok") yield String(message);
}
