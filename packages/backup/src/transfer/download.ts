import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { CorruptDataError, FileNotFoundError } from "@perdura/internals/errors/errors.js";
import { withStorage } from "@perdura/internals/files/storage_errors.js";
import { readVersion, type StoredVersion } from "../layout/versions.ts";
import { checkLibrary } from "../local/check_library.ts";
import type { CheckedOptions } from "../options.ts";
import { addressBelow } from "../stores/address_below.ts";
import type { ObjectStore } from "../stores/object_store.ts";
import { collectYoung } from "./collect_young.ts";

/**
 * Writes a version into a temporary file, and checks that it has the stored bytes and is a readable library.
 *
 * @throws FileNotFoundError when the version is gone; CorruptDataError and the errors of reading a library.
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

/**
 * Reads a version that was just stored, and checks that it has the stored bytes.
 *
 * @throws The errors of reading, also when the bytes differ.
 */
export async function assertReadable(
  store: ObjectStore,
  stored: StoredVersion,
  { onProgress }: CheckedOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { name } = stored.version;
  await download(store, stored, (_, done, total) => onProgress({ stage: "check", name, done, total }), signal);
}

/** `writeSync` may write fewer bytes than requested. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

/** Bytes that are requested at a time; the next ones are read ahead. */
const AT_ONCE = 4 << 20;

/**
 * Reads a version and passes its bytes on in order, then checks that they are the stored bytes: by the SHA-256 in the
 * object's metadata, if the store keeps metadata, and by the digits in the name.
 *
 * @throws FileNotFoundError when it is gone; CorruptDataError when the bytes differ.
 */
async function download(
  store: ObjectStore,
  { key, version }: StoredVersion,
  take: (bytes: Buffer, done: number, size: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const found = await store.find(key, signal);
  if (found === undefined)
    throw new FileNotFoundError("the version does not exist.", {
      subject: addressBelow(store.place, key),
      path: store.place,
    });
  const hash = createHash("sha256");
  const { size } = found;
  // One buffer is consumed while the other one is filled.
  const places = [0, 1].map(() => Buffer.allocUnsafe(Math.min(AT_ONCE, size)));
  let turn = 0;
  const part = (start: number): Promise<Buffer> => {
    if (start === size) return Promise.resolve(Buffer.alloc(0));
    turn = 1 - turn;
    return store.read(found, start, (places[turn] as Buffer).subarray(0, size - start), signal);
  };
  let coming = part(0);
  for (let done = 0; done < size;) {
    const bytes = await coming;
    coming = part(done + bytes.length);
    // An error with the current bytes does not wait for the next ones.
    coming.catch(() => undefined);
    hash.update(bytes);
    done += bytes.length;
    take(bytes, done, size);
    collectYoung();
  }
  const sha256 = hash.digest("hex");
  const expected = found.metadata["sha256"] ?? sha256;
  if (sha256 === expected && sha256.startsWith(readVersion(version.version)?.digits ?? "-")) return;
  throw new CorruptDataError(
    `the content differs from what was stored: its SHA-256 begins with ${sha256.slice(0, 16)}, expected ${found.metadata["sha256"]?.slice(0, 16) ?? readVersion(version.version)?.digits}.`,
    { subject: addressBelow(store.place, key), path: store.place },
  );
}
