import { existsSync, lstatSync, mkdirSync, rmdirSync, statfsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { realPathOf } from "@perdura/internals/files/exact_names.js";
import { storageErrorOf } from "@perdura/internals/files/storage_errors.js";
import { renameFile } from "@perdura/internals/files/rename_file.js";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import { isAbandoned, isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { describe } from "@perdura/internals/text/describe.js";
import { ARCHIVE_PATH, assertKnown, assertPath, progressFunction } from "../../core/argument_checks.ts";
import { Stop } from "../../core/stop.ts";
import { entriesIn, someEntry } from "../../io/entries.ts";
import { isMountPoint } from "../../io/mount_points.ts";
import { isTemporaryOf, temporaryDirectory } from "../format/archive_place.ts";
import { archivedDirectory } from "../format/archived_entries.ts";
import { archiveError, openArchive, tableFault } from "../format/open_archive.ts";
import { removeTree } from "../tree/remove_tree.ts";
import { IndistinctNames } from "../read/indistinct_names.ts";
import { extractTree } from "./extract_tree.ts";

/** Result of {@link extractArchivedStates}. */
export interface ExtractedStates {
  /** The directory, as an absolute path. */
  directory: string;
  /** Files, links and directories in it. */
  entries: number;
  /** Number of times that could only be set to a microsecond, not to the nanosecond. */
  inexact_times: number;
}

/**
 * Writes everything in an archive of states into a new directory, with the archived contents, names, modes and times.
 * The archive may be of any origin: if an entry would be written outside of the directory, the archive is refused and
 * nothing is written. Afterwards either the whole directory exists and is synced, or nothing was written.
 *
 * @param archive Path of a `.v15.sqlar` file.
 * @param directory A directory that does not exist, or is empty. Its parent must exist.
 * @param options.onProgress Called about every thousand entries with the number of written entries. If it throws,
 *   nothing is written, and the function rejects with the thrown value.
 * @throws ValidationError for a wrong argument, or a directory that cannot be used, for example because its file system
 *   ignores case and the archive has names that differ only in case; FileNotFoundError if the archive does not exist;
 *   CorruptDataError if it is not an archive of states, is damaged or has an unsafe entry.
 * @example
 * ```ts
 * const { entries } = await extractArchivedStates("./empathy_state.v15.sqlar", "./looked_at");
 * ```
 */
export async function extractArchivedStates(
  archive: string,
  directory: string,
  options: { onProgress?: (entries: number) => void } = {},
): Promise<ExtractedStates> {
  assertPath("archive", archive, ARCHIVE_PATH);
  assertPath("directory", directory, "the path of a new or empty directory");
  assertKnown("extractArchivedStates", options, ["onProgress"]);
  const onProgress = progressFunction("onProgress", options.onProgress);
  // A link cannot be replaced by a directory, but what it points to can.
  const target = existsSync(directory) ? realPathOf(directory) : resolve(directory);
  const callbackErrors: unknown[] = [];
  try {
    const database = openArchive(archive);
    try {
      assertUsable(target);
      assertWhole(database);
      assertRoom(database, target);
      const { entries, inexactTimes } = await extractInto(target, (temporary) =>
        extractTree(database, temporary, {
          trusted: false,
          directory: archivedDirectory(database),
          tick: async (done) => {
            try {
              await onProgress?.(done);
            } catch (error) {
              callbackErrors.push(error);
              throw error;
            }
          },
        }),
      );
      return { directory: target, entries, inexact_times: inexactTimes };
    } finally {
      database.close();
    }
  } catch (error) {
    // An error of the callback may look like a system error, but does not concern the archive.
    if (callbackErrors.length > 0) throw error;
    if (error instanceof IndistinctNames)
      throw new ValidationError(error.message, { argument: "directory", path: target, cause: error });
    const isOfArchive = String((error as { code?: unknown }).code).startsWith("SQLITE_");
    throw archiveError(
      isOfArchive ? storageErrorOf(error, archive, "reading") : storageErrorOf(error, target, "extracting to"),
      archive,
    );
  }
}

/** Missing rows must not look like files that never existed. */
function assertWhole(database: Database): void {
  const fault = tableFault(database);
  if (fault !== undefined) throw new Stop("failed", `The archive is damaged: ${fault}. Nothing was written.`);
}

/**
 * A small archive can contain very large files of zeros: extraction does not start if their total size exceeds the free
 * space.
 */
function assertRoom(database: Database, target: string): void {
  const wanted = database.prepare("SELECT total(sz) FROM sqlar").pluck().get() as number;
  const { bavail, bsize } = statfsSync(dirname(target));
  if (wanted <= bavail * bsize) return;
  throw new Stop(
    "refused",
    `Too little disk space in ${dirname(target)}: ${wanted} bytes are needed, ${bavail * bsize} are free. Nothing was written.`,
  );
}

/** Uses a temporary name until everything is written. */
async function extractInto<Result>(target: string, work: (temporary: string) => Promise<Result>): Promise<Result> {
  removeAbandoned(target);
  const temporary = temporaryDirectory("extracting", target);
  mkdirSync(temporary, { mode: 0o700 });
  try {
    const result = await work(temporary);
    // Windows cannot rename over a directory, not even over an empty one.
    if (process.platform === "win32" && existsSync(target)) rmdirSync(target);
    renameFile(temporary, target);
    syncDirectory(dirname(target));
    return result;
  } catch (error) {
    removeTree(temporary);
    throw error;
  }
}

/** Removes the remains of killed extractions of this user into the same directory: the archive has their content. */
function removeAbandoned(target: string): void {
  const abandoned: string[] = [];
  for (const entry of entriesIn(dirname(target))) {
    const path = join(dirname(target), entry.name);
    const isOurs = isTemporaryName(entry.name) && isTemporaryOf(entry.name, "extracting", target);
    if (entry.isDirectory() && isOurs && isAbandoned(path) && isOfThisUser(path)) abandoned.push(path);
  }
  for (const path of abandoned) removeTree(path);
}

/** The remains of other users in a shared place are theirs to remove, and do no harm. */
function isOfThisUser(path: string): boolean {
  return lstatSync(path).uid === (process.geteuid?.() ?? 0);
}

function assertUsable(target: string): void {
  if (isMountPoint(target))
    throw new ValidationError(
      `${describe(target)} is a mount point, which cannot be replaced. Nothing was written. Specify a new directory in it.`,
      { argument: "directory" },
    );
  if (isEmptyDirectory(target)) return;
  throw new ValidationError(
    `expected a new or empty directory in an existing directory, got ${describe(target)}. Nothing was written.`,
    { argument: "directory" },
  );
}

/** True also for a directory that does not exist but can be made. */
function isEmptyDirectory(target: string): boolean {
  try {
    return !someEntry(target, () => true);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" && existsSync(dirname(target));
  }
}
