import { renameSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { withStorage } from "@perdura/internals/errors/storage_errors.js";
import { assertPath, assertWritablePlace } from "@perdura/internals/files/places.js";
import { statOf } from "@perdura/internals/files/stat_of.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import { assertNoLogWithoutDatabase } from "@perdura/internals/sqlite/left_log.js";
import type { BackupVersion, StoredVersion } from "../layout/versions.ts";
import { kindOf } from "../local/file_kind.ts";
import { copyDatabase, syncCopied, tablesOf } from "../local/sqlite_copy.ts";
import { withTemporaryFile } from "../local/temporary_file.ts";
import type { CheckedOptions } from "../options.ts";
import type { ObjectStore } from "../stores/object_store.ts";
import { fetchInto } from "./download.ts";

/** Brings a version into a file: whole, checked and on the disk before anything is replaced. */
export async function restoreVersion(
  store: ObjectStore,
  stored: StoredVersion,
  { to, overwrite = false, signal }: { to: string; overwrite?: boolean | undefined; signal?: AbortSignal | undefined },
  options: CheckedOptions,
): Promise<void> {
  const { version } = stored;
  const replacing = { overwrite, busyTimeoutMs: options.busyTimeoutMs };
  assertReplaceable(to, version, replacing);
  // Beside the place, so that a rename brings it there.
  await withTemporaryFile(dirname(to), "perdura-restore", async (path) => {
    await fetchInto(path, store, stored, options, signal);
    signal?.throwIfAborted();
    // It may have been changed while the version came.
    assertReplaceable(to, version, replacing);
    await putInPlace(path, to, version, replacing);
  });
}

/** Rules for a file that is already there. */
interface Replacing {
  overwrite: boolean;
  /** Longest wait for others who hold it. */
  busyTimeoutMs: number;
}

/**
 * Refuses a place where a version would replace what is newer or something else.
 *
 * @throws ValidationError, FileNotFoundError where the directory is missing, CorruptDataError where a log without its
 *   database lies there; nothing was changed.
 */
function assertReplaceable(to: string, version: BackupVersion, { overwrite, busyTimeoutMs }: Replacing): void {
  assertPath("to", to);
  assertWritablePlace("to", to);
  // The log would be taken for that of the database that is put there.
  if (version.format === "sqlite") assertNoLogWithoutDatabase(to);
  const modified = newestChange(to);
  if (modified === undefined) return;
  const found = statOf(to)?.size === 0 ? version.format : kindOf("to", to, busyTimeoutMs);
  if (found !== version.format) {
    throw new ValidationError(
      `it is ${NAMES[found]}, and the backup is ${NAMES[version.format]}. It was left as it is.`,
      { path: to },
    );
  }
  if (overwrite || modified <= Date.parse(version.created_at)) return;
  throw new KeptFileError(
    to,
    `it was changed at ${new Date(modified).toISOString()}, after the backup of ${version.created_at} was made`,
  );
}

/** Keeps a file that is newer or holds more than the version. The option `overwrite` replaces it. */
export class KeptFileError extends ValidationError {
  readonly #found: string;

  /** @param found What was found, in words that begin a sentence. */
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
  return `${found}. It was left as it is; ${option} replaces it.`;
}

const NAMES = { json: "a JSON document", sqlite: "an SQLite database" };

/** When it was changed last, in ms; a database also by what is still in its log. */
function newestChange(path: string): number | undefined {
  const found = statOf(path);
  if (found === undefined) return undefined;
  const log = statOf(`${path}-wal`);
  // The times of versions have no more digits than that.
  return Math.floor(Math.max(found.mtimeMs, log !== undefined && log.size > 0 ? log.mtimeMs : 0));
}

/**
 * Puts a restored file in its place. An existing database is replaced by a transaction of its own, since others may have it
 * open: they see the old content or the new.
 *
 * @param restored Beside `to`, whole and on the disk.
 */
async function putInPlace(
  restored: string,
  to: string,
  version: BackupVersion,
  { overwrite, busyTimeoutMs }: Replacing,
): Promise<void> {
  const found = statOf(to);
  if (
    version.format === "sqlite" &&
    found !== undefined &&
    found.size > 0 &&
    kindOf("to", to, busyTimeoutMs) === "sqlite"
  ) {
    if (!overwrite) assertNothingElse(restored, to, busyTimeoutMs);
    await copyDatabase(restored, to, to, busyTimeoutMs);
    syncCopied(to);
    return;
  }
  withStorage(to, "restoring", () => {
    // As old as what it holds: the next version that is brought back here finds nothing newer.
    const made = new Date(version.created_at);
    utimesSync(restored, made, made);
    renameSync(restored, to);
    syncDone(to, "the restored content is in place");
  });
}

/** A database may hold more than a library, which the backup may not. */
function assertNothingElse(restored: string, to: string, busyTimeoutMs: number): void {
  const coming = new Set(tablesOf(restored, restored, busyTimeoutMs));
  const lost = tablesOf(to, to, busyTimeoutMs).filter((name) => !coming.has(name));
  if (lost.length === 0) return;
  throw new KeptFileError(to, `it has tables that the backup does not have (${lost.join(", ")})`);
}
