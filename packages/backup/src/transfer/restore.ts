import { utimesSync } from "node:fs";
import { dirname } from "node:path";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { withStorage } from "@perdura/internals/errors/storage_errors.js";
import { assertPath, assertWritablePlace } from "@perdura/internals/files/places.js";
import { renameFile } from "@perdura/internals/files/rename_file.js";
import { statOf } from "@perdura/internals/files/stat_of.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import { assertNoOrphanedLog } from "@perdura/internals/sqlite/orphaned_log.js";
import type { BackupVersion, StoredVersion } from "../layout/versions.ts";
import { kindOf } from "../local/file_kind.ts";
import { copyDatabase, syncCopied, tablesOf } from "../local/sqlite_copy.ts";
import { withTemporaryFile } from "../local/temporary_file.ts";
import type { CheckedOptions } from "../options.ts";
import type { ObjectStore } from "../stores/object_store.ts";
import { fetchInto } from "./download.ts";

/** Restores a version into a file: it is complete, checked and synced before a file is replaced. */
export async function restoreVersion(
  store: ObjectStore,
  stored: StoredVersion,
  { to, overwrite = false, signal }: { to: string; overwrite?: boolean | undefined; signal?: AbortSignal | undefined },
  options: CheckedOptions,
): Promise<void> {
  const { version } = stored;
  const replacing = { overwrite, busyTimeoutMs: options.busyTimeoutMs };
  assertReplaceable(to, version, replacing);
  // In the same directory, so that it can be renamed into place.
  await withTemporaryFile(dirname(to), "perdura-restore", async (path) => {
    await fetchInto(path, store, stored, options, signal);
    signal?.throwIfAborted();
    // The file may have been changed during the download.
    assertReplaceable(to, version, replacing);
    await putInPlace(path, to, version, replacing);
  });
}

/** Rules for an existing file. */
interface Replacing {
  overwrite: boolean;
  /** Maximum wait for other programs that hold it. */
  busyTimeoutMs: number;
}

/**
 * Refuses to replace newer content or another kind of file.
 *
 * @throws ValidationError, FileNotFoundError when the directory is missing, CorruptDataError when a log without its
 * database is found; nothing was changed.
 */
function assertReplaceable(to: string, version: BackupVersion, { overwrite }: Replacing): void {
  assertPath("to", to);
  assertWritablePlace("to", to);
  // SQLite would apply the log to the restored database.
  if (version.format === "sqlite") assertNoOrphanedLog(to);
  const modified = newestChange(to);
  if (modified === undefined) return;
  const found = statOf(to)?.size === 0 ? version.format : kindOf("to", to);
  if (found !== version.format) {
    throw new ValidationError(
      `the file is ${NAMES[found]}, but the backup is ${NAMES[version.format]}. The file was not changed. Restore into another file.`,
      { path: to },
    );
  }
  if (overwrite || modified <= Date.parse(version.created_at)) return;
  throw new KeptFileError(
    to,
    `the file was modified at ${new Date(modified).toISOString()}, after the backup of ${version.created_at}`,
  );
}

/** Keeps a file that is newer or contains more than the version. The option `overwrite` replaces it. */
export class KeptFileError extends ValidationError {
  readonly #found: string;

  /** @param found Text about the existing file that begins a sentence. */
  constructor(path: string, found: string) {
    super(keptText(found, "overwrite"), { path });
    this.#found = found;
  }

  /** The message with another name of the option, such as `--overwrite`. */
  messageFor(option: string): string {
    return `${this.path}: ${keptText(this.#found, option)}`;
  }
}

function keptText(found: string, option: string): string {
  return `${found}. The file was kept. Use ${option} to replace it.`;
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
 * programs may have it open: they see either the old or the new content.
 *
 * @param restored In the directory of `to`, complete and synced.
 */
async function putInPlace(
  restored: string,
  to: string,
  version: BackupVersion,
  { overwrite, busyTimeoutMs }: Replacing,
): Promise<void> {
  const found = statOf(to);
  if (version.format === "sqlite" && found !== undefined && found.size > 0 && kindOf("to", to) === "sqlite") {
    if (!overwrite) assertNothingElse(restored, to, busyTimeoutMs);
    await copyDatabase(restored, to, to, busyTimeoutMs);
    syncCopied(to);
    return;
  }
  withStorage(to, "restoring", () => {
    // With the time of the version, so that the next restore does not find a newer file.
    const made = new Date(version.created_at);
    utimesSync(restored, made, made);
    renameFile(restored, to);
    syncDone(to, "the library was restored");
  });
}

/** Refuses to replace a database with tables that the backup does not have. */
function assertNothingElse(restored: string, to: string, busyTimeoutMs: number): void {
  const coming = new Set(tablesOf(restored, restored, busyTimeoutMs));
  const lost = tablesOf(to, to, busyTimeoutMs).filter((name) => !coming.has(name));
  if (lost.length === 0) return;
  throw new KeptFileError(to, `the database has tables that the backup does not have (${lost.join(", ")})`);
}
