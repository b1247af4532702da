import { createRequire } from "node:module";
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type BetterSqlite3 from "better-sqlite3";
import { CorruptDataError, FileNotFoundError, StorageError } from "../errors/errors.ts";
import { storageErrorOf, withStorage } from "../errors/storage_errors.ts";
import { assertNoLogWithoutDatabase } from "./left_log.ts";
import { rememberConnection } from "./open_files.ts";
import type { Durability } from "./durability.ts";
import { assertSupportedNode } from "./runtime.ts";
import { type Waits, waitWhileBusy } from "./busy.ts";

/** An open connection. The driver's types stay inside: no published type names this one. */
export type Database = BetterSqlite3.Database;
export type Statement<Parameters extends unknown[] = unknown[], Row = unknown> = BetterSqlite3.Statement<
  Parameters,
  Row
>;

/** Default wait of a call for other writers, in milliseconds. */
export const DEFAULT_BUSY_TIMEOUT_MS = 30_000;
/** Default waits of a connection. */
export const DEFAULT_WAITS: Waits = { timeoutMs: DEFAULT_BUSY_TIMEOUT_MS, stretchMs: DEFAULT_BUSY_TIMEOUT_MS };

export interface OpenOptions {
  /**
   * `create` makes a missing file; `existing` never does; `query` is `existing` for which SQL cannot change anything, yet
   * the driver may finish what a killed writer left (a read-only connection could not); `read` touches no byte at all.
   */
  access: "read" | "query" | "existing" | "create";
  /** The name of the file in errors, where the path is a temporary one. */
  shownAs?: string | undefined;
  durability?: Durability | undefined;
  /** Longest wait for another process that holds the database, in milliseconds. */
  busyTimeoutMs?: number | undefined;
}

const require = createRequire(import.meta.url);
/** Kept after the first database is opened: resolving the name of a package takes Node.js a noticeable part of each opening. */
let Driver: typeof BetterSqlite3 | undefined;

/**
 * Opens an SQLite file with settings that are safe for data of unknown origin: functions that a hostile schema could
 * call are off (`trusted_schema`), page content is checked (`cell_size_check`), foreign keys hold.
 *
 * @throws FileNotFoundError when the file is missing and may not be created.
 * @throws CorruptDataError when it is not an SQLite database, or is missing or empty while its log holds data.
 */
export function openDatabase(path: string, options: OpenOptions): Database {
  assertSupportedNode();
  if (path !== ":memory:") assertOpenable(path, options.access);
  Driver ??= require("better-sqlite3") as typeof BetterSqlite3;
  const timeout = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
  let database: Database | undefined;
  try {
    database = new Driver(path, {
      readonly: options.access === "read",
      fileMustExist: options.access !== "create",
      timeout,
    });
    const connection = database;
    rememberConnection(connection, path);
    waitWhileBusy(timeout, () => configure(connection, options));
    return database;
  } catch (error) {
    database?.close();
    throw longPathOf(path) ?? storageErrorOf(error, options.shownAs ?? path, "opening");
  }
}

/** SQLite keeps 512 bytes for the whole path of a file, and 8 of them for the ending of a journal. */
export const LONGEST_PATH = 504;

/** Says of a path that is too long why SQLite cannot open it: it only says that it cannot. */
function longPathOf(path: string): StorageError | undefined {
  const bytes = Buffer.byteLength(wholePath(path));
  if (process.platform === "win32" || bytes <= LONGEST_PATH) return undefined;
  return new StorageError(
    `opening failed: the path has ${bytes} bytes; SQLite opens paths of at most ${LONGEST_PATH} bytes. Nothing was written. Use a shorter path.`,
    { path },
  );
}

function wholePath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // What is not there, or cannot be looked at: then what opening it said is what matters.
    return resolve(path);
  }
}

function configure(database: Database, options: OpenOptions): void {
  const settings = [
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "foreign_keys = ON",
    // The first statement that reads the file: it fails here if the file is not a database.
    "journal_mode",
    ...(options.access === "query" ? ["query_only = ON"] : []),
    // The driver's build lowers this to NORMAL for WAL, which forgets acknowledged rows at a power cut. EXTRA closes the
    // same gap for the rollback journal, whose directory entry FULL does not sync.
    `synchronous = ${options.durability === "normal" ? "NORMAL" : "EXTRA"}`,
  ];
  // One call: the driver's `pragma` prepares a statement for each setting, which takes longer than opening the file.
  database.exec(settings.map((setting) => `PRAGMA ${setting};`).join(" "));
}

/** Suffixes of files that SQLite keeps next to a database, and their kinds. */
const BESIDE = [
  ["-journal", "journal"],
  ["-wal", "log"],
] as const;

function assertOpenable(path: string, access: OpenOptions["access"]): void {
  const found = withStorage(path, "opening", () => statSync(path, { throwIfNoEntry: false }));
  if (found === undefined || (found.isFile() && found.size === 0)) assertNoLogWithoutDatabase(path);
  if (found === undefined && access !== "create")
    throw new FileNotFoundError("no such database file. Nothing was created.", { path });
  // Opening a pipe would wait forever.
  if (found?.isFile() === false) {
    const what = found.isDirectory() ? "a directory" : "a pipe, socket or device";
    throw new CorruptDataError(`expected an SQLite database, found ${what}.`, { path });
  }
  // SQLite opens what is called like its journal or its log, to see whether a killed writer left it.
  for (const [suffix, what] of BESIDE) {
    const beside = `${path}${suffix}`;
    if (withStorage(path, "opening", () => statSync(beside, { throwIfNoEntry: false }))?.isFile() === false)
      throw new StorageError(
        `opening failed: ${beside} is not a regular file, but SQLite needs that name for its ${what}. Remove it first.`,
        { path },
      );
  }
}
