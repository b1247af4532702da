import { utimesSync } from "node:fs";
import { isPerduraError, ValidationError } from "@perdura/internals/errors/errors.js";
import { withStorage } from "@perdura/internals/files/storage_errors.js";
import { assertPath, assertWritablePlace } from "@perdura/internals/files/places.js";
import { renameFile } from "@perdura/internals/files/rename_file.js";
import { statOf } from "@perdura/internals/files/stat_of.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import { assertNoOrphanedLog } from "@perdura/internals/sqlite/orphaned_log.js";
import type { BackupVersion, StoredVersion } from "../layout/versions.ts";
import { kindOf } from "../local/file_kind.ts";
import { copyDatabase, type RemovedTable, syncCopied, tablesMissingIn } from "../local/sqlite_copy.ts";
import { type Whole, withPartFile } from "../local/part_file.ts";
import type { CheckedOptions } from "../options.ts";
import type { FoundObject, ObjectStore } from "../stores/object_store.ts";
import { isGone } from "../stores/remote/failures.ts";
import { fetchInto, findVersion } from "./download.ts";

/** Effects of a restore. */
export interface RestoreEffects {
  /** Tables of the replaced database that the version does not have. */
  removed: RemovedTable[];
  /** Number of bytes that an earlier, interrupted restore had downloaded. */
  continued: number;
}

/** Restores a version into a file: it is complete, checked and synced before a file is replaced. */
export async function restoreVersion(
  store: ObjectStore,
  stored: StoredVersion,
  { to, overwrite = false, signal }: { to: string; overwrite?: boolean | undefined; signal?: AbortSignal | undefined },
  options: CheckedOptions,
): Promise<RestoreEffects> {
  const { version } = stored;
  const replacing = { overwrite, busyTimeoutMs: options.busyTimeoutMs };
  const { isDatabase, newer } = assertReplaceable(to, version);
  // Whether a database also has more tables is known only after the download.
  if (!isDatabase) assertNothingLost(to, newer, [], replacing);
  const found = await findVersion(store, stored, signal);
  // In the same directory, so that it can be renamed into place.
  return withPartFile(to, wholeOf(store.place, found), async (path) => {
    const continued = await fetchInto(path, store, { stored, found }, options, signal);
    signal?.throwIfAborted();
    return { removed: await putInPlace(path, to, version, replacing), continued };
  });
}

/** Identifies an object: another one has another key or revision, or is in another store. */
function wholeOf(place: string, { key, size, revision, metadata }: FoundObject): Whole {
  const identity = JSON.stringify([place, key, size, revision, metadata["sha256"]]);
  return { identity, size, isFinal: isGone };
}

/** Rules for an existing file. */
interface Replacing {
  overwrite: boolean;
  /** Maximum wait for other programs that hold it. */
  busyTimeoutMs: number;
}

/** State of a file that is to be replaced. */
interface Found {
  /** True for a database with content. */
  isDatabase: boolean;
  /** The words of {@link KeptFileError} for a file that was changed after the version was made. */
  newer: string | undefined;
}

/**
 * Refuses to replace another kind of file.
 *
 * @throws ValidationError, FileNotFoundError when the directory is missing, CorruptDataError when a log without its
 * database is found; nothing was changed.
 */
function assertReplaceable(to: string, version: BackupVersion): Found {
  assertPath("to", to);
  assertWritablePlace("to", to);
  // SQLite would apply the log to the restored database.
  if (version.format === "sqlite") assertNoOrphanedLog(to);
  const modified = newestChange(to);
  if (modified === undefined) return { isDatabase: false, newer: undefined };
  const isEmpty = statOf(to)?.size === 0;
  const found = isEmpty ? version.format : kindOf("to", to);
  if (found !== version.format) {
    throw new ValidationError(
      `the file is ${NAMES[found]}, but the backup is ${NAMES[version.format]}. The file was not changed. Restore into another file.`,
      { path: to },
    );
  }
  const isNewer = modified > Date.parse(version.created_at);
  const time = new Date(modified).toISOString();
  return {
    isDatabase: found === "sqlite" && !isEmpty,
    newer: isNewer ? `the file was modified at ${time}, after the backup of ${version.created_at}` : undefined,
  };
}

/** Keeps a file that is newer or contains more than the version. The option `overwrite` replaces it. */
function assertNothingLost(
  to: string,
  newer: string | undefined,
  removedTables: RemovedTable[],
  { overwrite }: Replacing,
): void {
  if (!overwrite && (newer !== undefined || removedTables.length > 0))
    throw new KeptFileError(to, newer, removedTables);
}

/** Keeps a file that is newer or contains more than the version. The option `overwrite` replaces it. */
export class KeptFileError extends ValidationError {
  /** Tables that `overwrite` would remove. */
  readonly removedTables: readonly RemovedTable[];
  readonly #newer: string | undefined;

  constructor(path: string, newer: string | undefined, removedTables: readonly RemovedTable[]) {
    super(keptText(newer, removedTables, "overwrite"), { path });
    this.#newer = newer;
    this.removedTables = removedTables;
  }

  /** The message with another name of the option, such as `--overwrite`. */
  messageFor(option: string): string {
    return `${this.path}: ${keptText(this.#newer, this.removedTables, option)}`;
  }
}

function keptText(newer: string | undefined, tables: readonly RemovedTable[], option: string): string {
  const hasMore = `the database has tables that the backup does not have: ${tablesText(tables)}`;
  const reasons = [...(newer === undefined ? [] : [newer]), ...(tables.length === 0 ? [] : [hasMore])];
  const removal = tables.length === 0 ? "replace it" : "replace it and remove these tables";
  return `${reasons.join("; and ")}. The file was kept. Use ${option} to ${removal}.`;
}

/** Tables with the numbers of their rows. */
export function tablesText(tables: readonly RemovedTable[]): string {
  return tables
    .map(({ name, rows }) => `${name} (${rows === null ? "unknown rows" : rows === 1 ? "1 row" : `${rows} rows`})`)
    .join(", ");
}

const NAMES = { json: "a JSON document", sqlite: "an SQLite database" };

/** Time of the last change in ms; for a database, including its log. */
function newestChange(path: string): number | undefined {
  const found = statOf(path);
  if (found === undefined) return undefined;
  const log = statOf(`${path}-wal`);
  // Times of versions have this precision.
  return Math.floor(Math.max(found.mtimeMs, log !== undefined && log.size > 0 ? log.mtimeMs : 0));
}

/**
 * Puts a restored file in its place. An existing database is replaced in one of its own transactions, since other
 * programs may have it open: they see either the old or the new content. The file may have been changed during the
 * download, so it is checked again.
 *
 * @param restored In the directory of `to`, complete and synced.
 */
async function putInPlace(
  restored: string,
  to: string,
  version: BackupVersion,
  replacing: Replacing,
): Promise<RemovedTable[]> {
  const { isDatabase, newer } = assertReplaceable(to, version);
  if (isDatabase) {
    const removed = findRemovedTables(restored, to, replacing);
    assertNothingLost(to, newer, removed, replacing);
    await copyDatabase(restored, to, to, replacing.busyTimeoutMs);
    syncCopied(to);
    return removed;
  }
  assertNothingLost(to, newer, [], replacing);
  withStorage(to, "restoring", () => {
    // With the time of the version, so that the next restore does not find a newer file.
    const made = new Date(version.created_at);
    utimesSync(restored, made, made);
    renameFile(restored, to);
    syncDone(to, "the library was restored");
  });
  return [];
}

/** Tables that the restore removes. Those of a damaged database are not known, and that does not prevent its restore. */
function findRemovedTables(restored: string, to: string, { overwrite, busyTimeoutMs }: Replacing): RemovedTable[] {
  try {
    return tablesMissingIn(restored, to, busyTimeoutMs);
  } catch (error) {
    if (overwrite && isPerduraError(error, "PERDURA_CORRUPT_DATA")) return [];
    throw error;
  }
}
