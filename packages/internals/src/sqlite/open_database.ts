import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type BetterSqlite3 from "better-sqlite3";
import { CorruptDataError, FileNotFoundError, StorageError } from "../errors/errors.ts";
import { storageErrorOf, withStorage } from "../files/storage_errors.ts";
import { withFile } from "../files/guarded_file.ts";
import { lastingNamesOf } from "../files/hard_links.ts";
import { irregularKind } from "../files/irregular_kind.ts";
import { placeOf } from "../files/place_of.ts";
import { unlessCreated } from "../files/private_file.ts";
import { assertLogsBelong } from "./foreign_log.ts";
import { loadDriver } from "./load_driver.ts";
import { assertNoOrphanedLog } from "./orphaned_log.ts";
import { copyPrivately, isReadableInPlace, isWritablePlace } from "./private_copy.ts";
import { DEFAULT_DURABILITY, type Durability, SYNCHRONOUS } from "./durability.ts";
import { assertSupportedNode } from "../runtime/node_version.ts";
import { assertSideFiles } from "./side_files.ts";
import { type Waits, waitWhileBusy } from "./busy.ts";

/**
 * An open connection. Published types do not use this type, so that they do not depend on the driver's types. Its
 * `backup` resolves without a copy if another connection holds one of the databases: `copy_content.ts` has the copy.
 */
export type Database = Omit<BetterSqlite3.Database, "backup">;
export type Statement<Parameters extends unknown[] = unknown[], Row = unknown> = BetterSqlite3.Statement<
  Parameters,
  Row
>;

/** Default for the longest wait of a call for other writers, in milliseconds. */
export const DEFAULT_BUSY_TIMEOUT_MS = 30_000;
/** Default waits of a connection. */
export const DEFAULT_WAITS: Waits = { timeoutMs: DEFAULT_BUSY_TIMEOUT_MS, sliceMs: DEFAULT_BUSY_TIMEOUT_MS };

/**
 * - `read`: no changes by SQL. SQLite may complete what a killed writer left, if this user may write to the database;
 *   otherwise nothing is created or changed, and what SQLite could not read in place is read from a private copy.
 * - `copy`: changes no byte of any file, and fails where SQLite cannot read the file in this way.
 * - `change`: reads and writes an existing database.
 * - `record`: like `change`; creates a missing database.
 */
export type Intent = "read" | "copy" | "change" | "record";

export interface OpenOptions {
  intent: Intent;
  /** The name of the file in errors, if the path is a temporary one. */
  shownAs?: string | undefined;
  durability?: Durability | undefined;
  /** Longest wait for another process that locks the database, in milliseconds. */
  busyTimeoutMs?: number | undefined;
}

/**
 * Opens an SQLite file with settings that are safe for data of unknown origin: unsafe functions in the schema are
 * disabled (`trusted_schema`), page content is checked (`cell_size_check`), foreign keys are enforced. Every database
 * of a user is opened here, so that each rule that protects its data is checked before SQLite reads the file.
 *
 * @throws FileNotFoundError if the file is missing and may not be created.
 * @throws CorruptDataError if it is not an SQLite database, if it is missing or empty and its log contains data, or if
 * its log belongs to another database.
 * @throws StorageError if this user may not write to the file, or if it has several names (hard links), except to read
 * it.
 */
export function openDatabase(path: string, options: OpenOptions): Database {
  assertSupportedNode();
  if (path === ":memory:") return connect(path, undefined, options);
  const place = assertOpenable(path, options);
  if (place !== undefined && options.intent === "read" && !isWritablePlace(place))
    return openWithoutTrace(path, place, options);
  // SQLite would give a new file fewer rights than the umask allows.
  if (place === undefined) createFile(path, options.shownAs ?? path);
  return connect(path, place, options);
}

/** @param place The real path of a database whose logs are to be checked. */
function connect(path: string, place: string | undefined, options: OpenOptions): Database {
  const Driver = loadDriver();
  const timeout = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
  let database: Database | undefined;
  try {
    database = new Driver(path, {
      readonly: options.intent === "copy",
      fileMustExist: options.intent !== "record",
      timeout,
    });
    const connection = database;
    // SQLite has opened the file, but not read it yet.
    if (place !== undefined) assertLogsBelong(place, options.shownAs ?? path);
    waitWhileBusy(timeout, () => configure(connection, options));
    return database;
  } catch (error) {
    database?.close();
    throw longPathOf(path) ?? storageErrorOf(error, options.shownAs ?? path, "opening");
  }
}

/**
 * Opens a database for a user who may not write to it or to its directory. SQLite would create a log of this user,
 * which locks the owner of the database out; or it could not read the database at all.
 */
function openWithoutTrace(path: string, place: string, options: OpenOptions): Database {
  const timeout = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
  if (isReadableInPlace(place)) {
    const database = connect(path, place, { ...options, intent: "copy" });
    try {
      database.exec("PRAGMA query_only = ON");
      database.prepare("SELECT count(*) FROM sqlite_schema").get();
      return database;
    } catch (error) {
      database.close();
      // The journal of a killed writer, which must be rolled back first.
      if (!needsWriting(error)) throw storageErrorOf(error, options.shownAs ?? path, "opening");
    }
  }
  assertLogsBelong(place, options.shownAs ?? path);
  const copy = copyPrivately(place, options.shownAs ?? path, timeout);
  try {
    const database = connect(copy.path, undefined, { ...options, shownAs: options.shownAs ?? path });
    const close = database.close.bind(database);
    database.close = () => {
      const closed = close();
      copy.remove();
      return closed;
    };
    return database;
  } catch (error) {
    copy.remove();
    throw error;
  }
}
/** True for the error of a connection that may not write, but would have to before it can read. */
function needsWriting(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code?.startsWith("SQLITE_READONLY") === true || code?.startsWith("SQLITE_CANTOPEN") === true;
}

/** Maximum length of a path in bytes: SQLite has 512 bytes for a path, including 8 for the suffix of a journal. */
export const LONGEST_PATH = 504;

/** The error for a path that is too long. SQLite only reports that it cannot open the file. */
function longPathOf(path: string): StorageError | undefined {
  const bytes = Buffer.byteLength(realPathOf(path) ?? resolve(path));
  if (process.platform === "win32" || bytes <= LONGEST_PATH) return undefined;
  return new StorageError(
    `opening failed: the path has ${bytes} bytes; SQLite opens paths of at most ${LONGEST_PATH} bytes. Nothing was written. Use a shorter path.`,
    { path },
  );
}

/** Undefined if the file is missing or unreadable; the error of opening it reports that. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function configure(database: Database, options: OpenOptions): void {
  const settings = [
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "foreign_keys = ON",
    // Deleted content is overwritten where this needs no further page, and no page keeps a copy of what left it.
    "secure_delete = FAST",
    // The first statement that reads the file: it fails here if the file is not a database.
    "journal_mode",
    ...(options.intent === "read" ? ["query_only = ON"] : []),
    `synchronous = ${SYNCHRONOUS[options.durability ?? DEFAULT_DURABILITY]}`,
  ];
  // One call, because the driver's `pragma` prepares a statement for each setting, which takes longer than opening the
  // file.
  database.exec(settings.map((setting) => `PRAGMA ${setting};`).join(" "));
}

/** Creates an empty database, unless another process has created it in the meantime. */
function createFile(path: string, shownAs: string): void {
  withStorage(shownAs, "opening", () => unlessCreated(() => withFile(path, () => undefined, "wx")));
}

/**
 * Checks a path before SQLite opens it.
 *
 * @returns The real path of the database; undefined if it does not exist yet.
 */
function assertOpenable(path: string, { intent, shownAs = path }: OpenOptions): string | undefined {
  const found = withStorage(shownAs, "opening", () => statSync(path, { throwIfNoEntry: false }));
  if (found === undefined || (found.isFile() && found.size === 0)) assertNoOrphanedLog(path);
  if (found === undefined && intent !== "record")
    throw new FileNotFoundError("no such database file. Nothing was created.", { path: shownAs });
  // Opening a pipe would wait forever.
  const kind = found && irregularKind(found);
  if (kind !== undefined) throw new CorruptDataError(`expected an SQLite database, found ${kind}.`, { path: shownAs });
  const place = (found === undefined ? placeOf(path) : realPathOf(path)) ?? path;
  assertSideFiles(place, shownAs);
  if (found === undefined) return undefined;
  // SQLite would open the file for reading only, and create a log of this user next to it.
  if (intent === "record" || intent === "change") {
    withStorage(shownAs, "opening", () => accessSync(place, constants.W_OK));
    if (found.nlink > 1) assertOneName(place, shownAs);
  }
  return place;
}

/**
 * SQLite names the log and the journal after the path: a program that opens the file by its other name does not see
 * them, and overwrites what they contain (ruling U-acknowledged).
 */
function assertOneName(place: string, shownAs: string): void {
  const names = withStorage(shownAs, "opening", () => lastingNamesOf(place));
  if (names > 1)
    throw new StorageError(
      `opening failed: the file has ${names} names (hard links), and SQLite keeps a log next to each, so that rows would be lost. Nothing was changed. Keep one name; use a symbolic link for others.`,
      { path: shownAs },
    );
}
