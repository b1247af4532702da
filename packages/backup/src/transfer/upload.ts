import { randomUUID } from "node:crypto";
import { StorageError } from "@perdura/internals/errors/errors.js";
import type { Access } from "@perdura/internals/files/access.js";
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

/** Number of times to try if they are taken; each is one microsecond later than the previous one. */
const MAX_NAMES = 1000;

const CONTENT_TYPES: Record<BackupFormat, string> = { json: "application/json", sqlite: "application/vnd.sqlite3" };

/**
 * Adds a version that is newer than all others of its library, including one from a machine with a fast clock, because
 * only the names determine the newest.
 */
export async function upload(
  store: ObjectStore,
  name: string,
  format: BackupFormat,
  file: HashedFile,
  { newest, began, access, signal, sent }: UploadOptions,
): Promise<BackupVersion> {
  const { size, sha256, read } = file;
  const metadata = { sha256, upload: randomUUID() };
  let time = later(began, newest);
  for (let tries = 0; tries < MAX_NAMES; tries += 1, time += 1n) {
    const key = keyOf(name, versionName(time, sha256, format));
    const contentType = CONTENT_TYPES[format];
    const outcome = await store.add(
      { key, size, contentType, metadata, read, ...(access && { access }), ...(sent && { sent }) },
      signal,
    );
    if (outcome === "added") return versionAt(key, size) as BackupVersion;
  }
  throw new StorageError(
    `all ${MAX_NAMES} names tried for a backup of ${encodeName(name)} are taken. Nothing was stored.`,
    {
      path: store.place,
    },
  );
}

interface UploadOptions {
  newest: BackupVersion | undefined;
  /** The time before the file was read: later changes may not be included, and are newer than the version. */
  began: Microseconds;
  /** Rights to the data, if they come from a file. */
  access: Access | undefined;
  signal: AbortSignal | undefined;
  sent: ((bytes: number) => void) | undefined;
}

function later(began: Microseconds, newest: BackupVersion | undefined): Microseconds {
  const before = newest === undefined ? undefined : readVersion(newest.version)?.time;
  return before !== undefined && before >= began ? before + 1n : began;
}
