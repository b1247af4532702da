import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import {
  isPrivateDirectory,
  makePrivateDirectory,
  removePrivateDirectory,
} from "@perdura/internals/files/private_directory.js";
import { isAbandoned } from "@perdura/internals/files/temporary_names.js";
import { assertLogsBelong } from "@perdura/internals/sqlite/foreign_log.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { ALL_SIDE_FILES, assertSideFiles } from "@perdura/internals/sqlite/side_files.js";
import type { FoundDatabase } from "../core/discovery.ts";
import type { HasSettings } from "../core/options.ts";
import type { Cleanup } from "../core/progress.ts";
import { Stop } from "../core/stop.ts";
import type { FileProcess, Workers } from "./child/workers.ts";
import { entriesIn } from "./entries.ts";
import { useSmallCache } from "./small_cache.ts";

/** A path through which a database can be read without any write next to it. */
export interface ReadablePlace {
  path: string;
  remove: () => void;
}

/**
 * The database itself if reading leaves no trace. In WAL mode a `-shm` file would be created next to it, and with the
 * journal of a killed writer it could not be read at all: such a database is read from a private copy.
 *
 * @param isLive Reads a database in place while another process has it open in WAL mode: both files exist already.
 */
export async function readablePlace(
  path: string,
  wal: boolean,
  files: FileProcess,
  busyTimeoutMs: number,
  isLive: boolean = false,
): Promise<ReadablePlace> {
  assertReadable(path);
  if (isLive && wal && isOpenElsewhere(path) && isReadableInPlace(path, busyTimeoutMs))
    return { path, remove: () => undefined };
  if (!wal && !holdsBytes(`${path}-wal`) && (!holdsBytes(`${path}-journal`) || isReadableInPlace(path, busyTimeoutMs)))
    return { path, remove: () => undefined };
  const directory = makePrivateDirectory(path);
  const remove = (): void => removePrivateDirectory(directory);
  try {
    if (!(await files.snapshot(path, directory, busyTimeoutMs)))
      throw new Stop("in_use", "Another process is writing to this database. Stop it, then run this command again.");
    return { path: join(directory, basename(path)), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Removes the temporary files of this user's killed runs, but not those of active runs. */
export function removeAbandonedCopies(run: Cleanup): void {
  const place = tmpdir();
  // Only private copies need this directory, and they will report if it is missing.
  if (!isListable(place)) return;
  for (const { name } of entriesIn(place)) {
    // First of all: a directory for temporary files can have many thousand others.
    if (!isPrivateDirectory(name)) continue;
    const path = join(place, name);
    if (isOwn(path) && isAbandoned(path)) run.discard(path, () => removePrivateDirectory(path));
  }
}

function isListable(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return statSync(directory).isDirectory();
  } catch {
    return false;
  }
}

/** Files of other users can neither be read nor removed. */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (process.geteuid === undefined || found.uid === process.geteuid());
}

/** @throws Stop for a database that SQLite could not read, or whose log belongs to another one. */
function assertReadable(path: string): void {
  try {
    assertSideFiles(path, path, ALL_SIDE_FILES);
    assertLogsBelong(path, path);
  } catch (error) {
    if (!isPerduraError(error)) throw error;
    throw new Stop("refused", `Cannot open the database: ${error.reason}`, error);
  }
}

/** True if both files exist that SQLite keeps next to a database in WAL mode while a process has it open. */
function isOpenElsewhere(path: string): boolean {
  return ["-wal", "-shm"].every((suffix) => lstatSync(`${path}${suffix}`, { throwIfNoEntry: false }) !== undefined);
}

function holdsBytes(path: string): boolean {
  return (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * True if SQLite can read the database in place. It also can if an active program has a journal: SQLite waits for that program.
 * That of a killed one is, until it has been rolled back.
 */
function isReadableInPlace(path: string, busyTimeoutMs: number): boolean {
  let database: Database | undefined;
  try {
    database = openInPlace(path, busyTimeoutMs);
    beginReading(database);
    return true;
  } catch {
    // Reading the copy will report the fault.
    return false;
  } finally {
    database?.close();
  }
}

/** Opens a readable place so that nothing can be written: `read` on the original file, `query_only` on a copy. */
export function openReadable(place: ReadablePlace, original: string, busyTimeoutMs: number): Database {
  if (place.path === original) return openInPlace(place.path, busyTimeoutMs);
  const database = openDatabase(place.path, { intent: "read", busyTimeoutMs, shownAs: original });
  useSmallCache(database);
  return database;
}

function openInPlace(path: string, busyTimeoutMs: number): Database {
  return pastCommits(() => {
    const database = openDatabase(path, { intent: "copy", busyTimeoutMs });
    try {
      database.pragma("query_only = ON");
      // This statement also reads the schema.
      useSmallCache(database);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/**
 * Starts a read transaction: until the connection is closed, all reads see one snapshot, and no other process can
 * write.
 */
function beginReading(database: Database): void {
  database.exec("BEGIN");
  pastCommits(() => database.prepare("SELECT count(*) FROM main.sqlite_schema").get());
}

/** Maximum number of attempts if a journal seems to be that of a killed writer. */
const ATTEMPTS = 20;

/**
 * If a writer commits just when SQLite checks for a journal, SQLite assumes a killed writer, and a connection that
 * cannot roll back fails. A retry succeeds, unless the writer was really killed.
 */
function pastCommits<Result>(look: () => Result): Result {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return look();
    } catch (error) {
      const { code, cause } = error as { code?: string; cause?: { code?: string } };
      const isJournal = [code, cause?.code].some((name) => name?.startsWith("SQLITE_READONLY") === true);
      if (!isJournal || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Opens a database without write access, and closes it afterwards.
 *
 * @param original Path of the database; `place` may be a private copy of it.
 */
export function withReadable<Result>(
  place: { path: string },
  original: string,
  run: HasSettings,
  use: (database: Database) => Result,
): Result {
  const database = openReadable({ ...place, remove: () => undefined }, original, run.settings.busyTimeoutMs);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/**
 * Opens a database, or a private copy of it if reading it would write next to it, and reads it in one transaction.
 * Cannot write. Closes and removes everything afterwards.
 *
 * @param use Gets the connection, and the path that it has opened.
 * @param isLive See {@link readablePlace}.
 */
export async function whileReading<Result>(
  found: FoundDatabase,
  run: HasSettings & Workers,
  use: (database: Database, path: string) => Result | Promise<Result>,
  isLive: boolean = false,
): Promise<Result> {
  const { busyTimeoutMs } = run.settings;
  const place = await readablePlace(found.path, found.wal, run.files, busyTimeoutMs, isLive);
  try {
    const database = openReadable(place, found.path, busyTimeoutMs);
    try {
      beginReading(database);
      return await use(database, place.path);
    } finally {
      database.close();
    }
  } finally {
    place.remove();
  }
}
