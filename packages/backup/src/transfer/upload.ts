import { randomUUID } from "node:crypto";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { encodeName } from "../layout/library_names.ts";
import type { Microseconds } from "../layout/stamps.ts";
import {
  type BackupFormat,
  type BackupVersion,
  keyOf,
  readVersion,
  versionAt,
  versionName,
} from "../layout/versions.ts";
import type { HashedFile } from "../local/hashed_file.ts";
import type { ObjectStore } from "../stores/object_store.ts";

/** Moments that are tried where others have taken them: each is a microsecond after the one before. */
const MOMENTS = 1000;

const CONTENT_TYPES: Record<BackupFormat, string> = { json: "application/json", sqlite: "application/vnd.sqlite3" };

/**
 * Adds a version that is newer than all others of its library, also than one that a machine with a fast clock made: what is
 * newest is told by the names alone.
 */
export async function upload(
  store: ObjectStore,
  name: string,
  format: BackupFormat,
  file: HashedFile,
  { newest, began, signal, sent }: UploadOptions,
): Promise<BackupVersion> {
  const { size, sha256, read } = file;
  const metadata = { sha256, upload: randomUUID() };
  let time = later(began, newest);
  for (let tries = 0; tries < MOMENTS; tries += 1, time += 1n) {
    const key = keyOf(name, versionName(time, sha256, format));
    const contentType = CONTENT_TYPES[format];
    const outcome = await store.add({ key, size, contentType, metadata, read, ...(sent && { sent }) }, signal);
    if (outcome === "added") return versionAt(key, size) as BackupVersion;
  }
  throw new StorageError(`each of ${MOMENTS} names for a backup of ${encodeName(name)} is taken. Nothing was stored.`, {
    path: store.place,
  });
}

interface UploadOptions {
  newest: BackupVersion | undefined;
  /** The time before the file was read: what was changed afterwards may not be in it, and is newer than the version. */
  began: Microseconds;
  signal: AbortSignal | undefined;
  sent: ((bytes: number) => void) | undefined;
}

function later(began: Microseconds, newest: BackupVersion | undefined): Microseconds {
  const before = newest === undefined ? undefined : readVersion(newest.version)?.time;
  return before !== undefined && before >= began ? before + 1n : began;
}
