import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type BetterSqlite3 from "better-sqlite3";
import { CorruptDataError, FileNotFoundError, StorageError } from "../errors/errors.ts";
import { storageErrorOf, withStorage } from "../errors/storage_errors.ts";
import { loadDriver } from "./load_driver.ts";
import { assertNoOrphanedLog } from "./orphaned_log.ts";
import { rememberConnection } from "./open_files.ts";
import type { Durability } from "./durability.ts";
import { assertSupportedNode } from "./runtime.ts";
import { type Waits, waitWhileBusy } from "./busy.ts";

/** An open connection. Published types do not use this type, so that they do not depend on the driver's types. */
export type Database = BetterSqlite3.Database;
export type Statement<Parameters extends unknown[] = unknown[], Row = unknown> = BetterSqlite3.Statement<
  Parameters,
  Row
>;

/** Default for the longest wait of a call for other writers, in milliseconds. */
export const DEFAULT_BUSY_TIMEOUT_MS = 30_000;
/** Default waits of a connection. */
export const DEFAULT_WAITS: Waits = { timeoutMs: DEFAULT_BUSY_TIMEOUT_MS, sliceMs: DEFAULT_BUSY_TIMEOUT_MS };

export interface OpenOptions {
  /**
   * `create` creates a missing file; `existing` does not; `query` is `existing` without changes by SQL, but the driver
   * may complete what a killed writer left, which a read-only connection cannot; `read` changes no byte of any file.
   */
  access: "read" | "query" | "existing" | "create";
  /** The name of the file in errors, if the path is a temporary one. */
  shownAs?: string | undefined;
  durability?: Durability | undefined;
  /** Longest wait for another process that locks the database, in milliseconds. */
  busyTimeoutMs?: number | undefined;
}

/**
 * Opens an SQLite file with settings that are safe for data of unknown origin: unsafe functions in the schema are
 * disabled (`trusted_schema`), page content is checked (`cell_size_check`), foreign keys are enforced.
 *
 * @throws FileNotFoundError if the file is missing and may not be created.
 * @throws CorruptDataError if it is not an SQLite database, or if it is missing or empty and its log contains data.
 */
export function openDatabase(path: string, options: OpenOptions): Database {
  assertSupportedNode();
  if (path !== ":memory:") assertOpenable(path, options.access);
  const Driver = loadDriver();
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

/** Maximum length of a path in bytes: SQLite has 512 bytes for a path, including 8 for the suffix of a journal. */
export const LONGEST_PATH = 504;

/** The error for a path that is too long. SQLite only reports that it cannot open the file. */
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
    // The file is missing or unreadable; the error of opening it reports that.
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
    // The driver is built with NORMAL for WAL, with which a power cut may lose acknowledged rows. EXTRA does the same
    // as FULL for a rollback journal and also syncs the journal's directory entry.
    `synchronous = ${options.durability === "normal" ? "NORMAL" : "EXTRA"}`,
  ];
  // One call, because the driver's `pragma` prepares a statement for each setting, which takes longer than opening the
  // file.
  database.exec(settings.map((setting) => `PRAGMA ${setting};`).join(" "));
}

/** Suffixes of files that SQLite keeps next to a database, and their kinds. */
const SIDE_FILES = [
  ["-journal", "journal"],
  ["-wal", "log"],
] as const;

function assertOpenable(path: string, access: OpenOptions["access"]): void {
  const found = withStorage(path, "opening", () => statSync(path, { throwIfNoEntry: false }));
  if (found === undefined || (found.isFile() && found.size === 0)) assertNoOrphanedLog(path);
  if (found === undefined && access !== "create")
    throw new FileNotFoundError("no such database file. Nothing was created.", { path });
  // Opening a pipe would wait forever.
  if (found?.isFile() === false) {
    const what = found.isDirectory() ? "a directory" : "a pipe, socket or device";
    throw new CorruptDataError(`expected an SQLite database, found ${what}.`, { path });
  }
  // SQLite opens files with the names of the journal and the log, to check whether a killed writer left them.
  for (const [suffix, what] of SIDE_FILES) {
    const beside = `${path}${suffix}`;
    if (withStorage(path, "opening", () => statSync(beside, { throwIfNoEntry: false }))?.isFile() === false)
      throw new StorageError(
        `opening failed: ${beside} is not a regular file, but SQLite needs that name for its ${what}. Remove it first.`,
        { path },
      );
  }
}
