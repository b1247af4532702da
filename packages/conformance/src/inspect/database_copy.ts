import { appendFileSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { readBytes, withDescriptor } from "./own_descriptor.ts";
import type { JsonValue } from "../values/json_value.ts";
import { numberFromBigInt, numberFromDouble } from "../values/numbers.ts";

/** For a new database of the suite: it need not survive a power cut, so nothing waits for the disk. */
export const UNSYNCED = "PRAGMA synchronous = OFF";

/** A row of a query: column names and values in the protocol's form. */
type Row = Record<string, JsonValue>;

/** A database that the suite may change: a copy, or one that it creates. */
export interface ScratchDatabase {
  /** Rows of a query or a pragma. */
  rows(sql: string, ...values: string[]): Row[];
  /** The same rows one by one, as arrays of stored values; see {@link StoredValue}. */
  each(sql: string): Iterable<StoredValue[]>;
  run(sql: string): void;
  close(): void;
}

/** A value whose type shows its storage class: a `bigint` is an integer, a `number` a real, a `Buffer` a blob. */
export type StoredValue = null | bigint | number | string | Buffer;

/** The index of the log (`-shm`) is not among them: it is shared memory, which the first connection makes again. */
const PARTS = ["", "-wal", "-journal"];

/**
 * Copies a database with its write-ahead log and journal and opens the copy: rows that are only in the log are
 * included, and the original stays unchanged. The schema is not trusted: it cannot call functions with side effects.
 * @param path the implementation's file.
 * @param scratch a folder of the suite; closing removes the copy.
 * @throws {Error} when another program kept changing the file, so that no copy was whole.
 */
export function openCopy(path: string, scratch: string): ScratchDatabase {
  const folder = mkdtempSync(join(scratch, "copy-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "copy.db");
    // The log is next to the file itself, not next to a link to it.
    copyWhole(realpathSync(path), copy);
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

/** Minimum time for which copying is repeated while another program writes. */
const PATIENCE_MS = 5000;

/**
 * Copies a database while other programs use it, so that the copy is whole: a half-written one would be judged for
 * faults that the file does not have. A log may grow meanwhile: until it is begun again, which changes its header, it
 * has every page that moves into the database, and its pages take precedence.
 */
function copyWhole(path: string, copy: string): void {
  const end = performance.now() + PATIENCE_MS;
  for (let attempt = 1; attempt <= 3 || performance.now() < end; attempt += 1) {
    const [before, log] = [stateOf(path), logHeader(path)];
    // The database before its log, which then has the pages that moved meanwhile.
    for (const part of PARTS) {
      rmSync(copy + part, { force: true });
      unlessGone(() => {
        // Reading a named pipe would block.
        if (statSync(path + part).isFile())
          withDescriptor(path + part, (descriptor) => copyTo(copy + part, descriptor));
      });
    }
    if (stateOf(path) === before) return;
    if (log !== undefined && logHeader(path) === log && !existsSync(`${path}-journal`)) return;
  }
  throw new Error(
    `cannot copy ${path}: another program changed it during each of several attempts. Stop that program, then try again`,
  );
}

/** The magic number, page size, sequence number and salts of the log. */
function logHeader(path: string): string | undefined {
  const length = 32;
  const header = unlessGone(() => {
    if (!statSync(`${path}-wal`).isFile()) return undefined;
    return withDescriptor(`${path}-wal`, (descriptor) => readBytes(descriptor, 0, length));
  });
  return header?.length === length ? header.toString("hex") : undefined;
}

/** Runs a function that reads a log or journal, which other programs may remove at any time. */
function unlessGone<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}

/** Bytes that are copied at a time. */
const BLOCK = 1 << 20;

function copyTo(path: string, source: number): void {
  for (let position = 0; ; position += BLOCK) {
    const block = readBytes(source, position, BLOCK);
    inTemporaryDirectory(dirname(path), () => appendFileSync(path, block, { mode: 0o600 }));
    if (block.length < BLOCK) return;
  }
}

/** Runs a task that creates files in a directory for temporary files. An error of the system names it, and the way to another one. */
export function inTemporaryDirectory<Result>(directory: string, task: () => Result): Result {
  try {
    return task();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `${directory}: the directory for temporary files cannot be used (${code}). Set the environment variable TMPDIR to another one`,
      { cause: error },
    );
  }
}

function stateOf(path: string): string {
  return PARTS.map((part) => statSync(path + part, { throwIfNoEntry: false, bigint: true }))
    .map((state) => (state === undefined ? "none" : `${state.size} ${state.mtimeNs}`))
    .join(", ");
}

/** Opens or creates a database of the suite. Foreign keys are enforced. */
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

/** A stored value in the protocol's form: exact numbers, blobs as `{"$bytes": "<hexadecimal>"}`. */
export function portable(value: unknown): JsonValue {
  if (typeof value === "bigint") return numberFromBigInt(value);
  if (typeof value === "number") return numberFromDouble(value);
  if (Buffer.isBuffer(value)) return { $bytes: value.toString("hex") };
  return value as string | null;
}

/** True if a constraint refused the statement, false if the statement itself is wrong. */
export function isConstraint(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_CONSTRAINT");
}

/**
 * Errors of this machine, which are not about the file. Plain READONLY is not among them: the copy is writable, so a
 * header of a later version causes it. Neither is a short read: the file is truncated.
 */
const HOST = /^SQLITE_(?:NOMEM|IOERR(?!_SHORT_READ)|CANTOPEN|READONLY_|BUSY|LOCKED|FULL|INTERRUPT)/;

/** True for an error of SQLite about the judged database, which is a finding, not a fault of the suite. */
export function isAboutDatabase(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && !HOST.test(error.code);
}

/** True if an insert failed because the disk is full, or because the table has no ids left. */
export function isFull(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && error.code === "SQLITE_FULL";
}

const VIRTUAL = /^create(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)+virtual\b/i;

/**
 * True for a virtual table, by its SQL text. It has no root page unless the schema was forged. SQLite treats comments
 * as blanks.
 *
 * @param sql the value in `sqlite_schema`.
 */
export function isVirtualTable(sql: unknown, rootpage: unknown): boolean {
  return Number(rootpage) <= 0 || VIRTUAL.test(String(sql));
}

/**
 * Faults that `PRAGMA integrity_check` finds in a file.
 *
 * A virtual table would check itself, and may read its rows from an endless view. So in a database with virtual tables
 * the ordinary tables are checked one by one; virtual tables store their data in ordinary ones.
 */
export function* brokenIntegrity(copy: ScratchDatabase): Generator<string, void, undefined> {
  const tables = [...copy.each("SELECT name, sql, rootpage FROM sqlite_schema WHERE type = 'table'")];
  const ordinary = tables.filter(([, sql, rootpage]) => !isVirtualTable(sql, rootpage));
  if (ordinary.length === tables.length) return yield* faults(copy, "1000");
  for (const [name] of [["sqlite_schema"], ...ordinary]) yield* faults(copy, `"${String(name).replaceAll('"', '""')}"`);
}

function* faults(copy: ScratchDatabase, argument: string): Generator<string, void, undefined> {
  for (const [found] of copy.each(`PRAGMA integrity_check(${argument})`)) if (found !== "ok") yield String(found);
}
