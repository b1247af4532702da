import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { withStorage } from "@perdura/internals/errors/storage_errors.js";
import type { StoredVersion } from "../layout/versions.ts";
import { checkLibrary } from "../local/check_library.ts";
import type { CheckedOptions } from "../options.ts";
import { addressBelow } from "../stores/address_below.ts";
import type { ObjectStore } from "../stores/object_store.ts";
import { download } from "./download.ts";

/**
 * Writes a version into a file of ours, and makes sure that it is what was stored and a library that can be read.
 *
 * @throws FileNotFoundError where the version is gone; CorruptDataError and what reading the library throws.
 */
export async function fetchInto(
  path: string,
  store: ObjectStore,
  stored: StoredVersion,
  { onProgress }: CheckedOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { name, format } = stored.version;
  const descriptor = withStorage(path, "writing", () => openSync(path, "w"));
  try {
    const take = (bytes: Buffer, done: number, total: number): void => {
      withStorage(path, "writing", () => writeAll(descriptor, bytes));
      onProgress({ stage: "download", name, done, total });
    };
    await download(store, stored, take, signal);
    withStorage(path, "writing", () => fsyncSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
  await checkLibrary(path, format, addressBelow(store.place, stored.key), signal);
}

/** `writeSync` may write less than it was given. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}
