import { createHash, type Hash } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, read, writeSync } from "node:fs";
import { promisify } from "node:util";
import { CorruptDataError, FileNotFoundError, isPerduraError, StorageError } from "@perdura/internals/errors/errors.js";
import { storageErrorOf, withStorage } from "@perdura/internals/files/storage_errors.js";
import { readVersion, type StoredVersion } from "../layout/versions.ts";
import { checkLibrary } from "../local/check_library.ts";
import type { CheckedOptions } from "../options.ts";
import { addressBelow } from "../stores/address_below.ts";
import type { FoundObject, ObjectStore } from "../stores/object_store.ts";
import { collectYoung } from "./collect_young.ts";

/**
 * Finds the object of a version.
 *
 * @throws FileNotFoundError when the version is gone.
 */
export async function findVersion(
  store: ObjectStore,
  { key }: StoredVersion,
  signal: AbortSignal | undefined,
): Promise<FoundObject> {
  const found = await store.find(key, signal);
  if (found !== undefined) return found;
  throw new FileNotFoundError("the version does not exist.", {
    subject: addressBelow(store.place, key),
    path: store.place,
  });
}

/**
 * Writes a version into a file, and checks that it has the stored bytes and is a readable library.
 *
 * @param path An empty file, or one with the beginning of the same object, after which the download continues.
 * @returns The number of bytes that were used of this beginning.
 * @throws CorruptDataError and the errors of reading a library.
 */
export async function fetchInto(
  path: string,
  store: ObjectStore,
  { stored, found }: FoundVersion,
  { onProgress }: CheckedOptions,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { name, format } = stored.version;
  const descriptor = withStorage(path, "writing", () => openSync(path, "r+"));
  let continued: number;
  try {
    const take = (bytes: Buffer, done: number, total: number): void => {
      withStorage(path, "writing", () => writeAll(descriptor, bytes, done - bytes.length));
      onProgress({ stage: "download", name, done, total });
    };
    const fetchAfter = (beginning: Beginning): Promise<void> =>
      download(store, { stored, found }, take, signal, beginning);
    const beginning = await beginningOf(descriptor, path, found.size, signal);
    continued = beginning.length;
    if (continued > 0) onProgress({ stage: "download", name, done: continued, total: found.size });
    try {
      await fetchAfter(beginning);
    } catch (error) {
      // A power cut can leave a file of the right length without its bytes.
      if (continued === 0 || !isPerduraError(error, "PERDURA_CORRUPT_DATA")) throw error;
      withStorage(path, "writing", () => ftruncateSync(descriptor));
      continued = 0;
      await fetchAfter(nothing());
    }
    withStorage(path, "writing", () => fsyncSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
  await checkLibrary(path, format, addressBelow(store.place, stored.key), signal);
  return continued;
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
  const found = await findVersion(store, stored, signal);
  const take = (_: Buffer, done: number, total: number): void => onProgress({ stage: "check", name, done, total });
  await download(store, { stored, found }, take, signal, nothing());
}

/** A version, and its object in the store. */
export interface FoundVersion {
  stored: StoredVersion;
  found: FoundObject;
}

/** The first bytes of an object, which are not downloaded. */
interface Beginning {
  length: number;
  hash: Hash;
}

function nothing(): Beginning {
  return { length: 0, hash: createHash("sha256") };
}

const readFrom = promisify(read);

/** The content of a file, if it can be the beginning of an object of this size; otherwise the file is emptied. */
async function beginningOf(
  descriptor: number,
  path: string,
  size: number,
  signal: AbortSignal | undefined,
): Promise<Beginning> {
  try {
    const length = fstatSync(descriptor).size;
    const { hash } = nothing();
    if (length > size) ftruncateSync(descriptor);
    if (length === 0 || length > size) return { length: 0, hash };
    const place = Buffer.allocUnsafe(Math.min(AT_ONCE, length));
    for (let done = 0; done < length;) {
      signal?.throwIfAborted();
      const { bytesRead } = await readFrom(descriptor, place, 0, Math.min(place.length, length - done), done);
      if (bytesRead === 0) throw new StorageError("the file became shorter.", { path });
      hash.update(place.subarray(0, bytesRead));
      done += bytesRead;
    }
    return { length, hash };
  } catch (error) {
    signal?.throwIfAborted();
    throw storageErrorOf(error, path, "reading");
  }
}

/** `writeSync` may write fewer bytes than requested. */
function writeAll(descriptor: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
}

/** Bytes that are requested at a time; the next ones are read ahead. */
const AT_ONCE = 4 << 20;

/**
 * Reads the rest of a version and passes its bytes on in order, then checks that they are the stored bytes: by the SHA-256 in the
 * object's metadata, if the store keeps metadata, and by the digits in the name.
 *
 * @throws CorruptDataError when the bytes differ.
 */
async function download(
  store: ObjectStore,
  { stored: { key, version }, found }: FoundVersion,
  take: (bytes: Buffer, done: number, size: number) => void,
  signal: AbortSignal | undefined,
  { length: continued, hash }: Beginning,
): Promise<void> {
  const { size } = found;
  // One buffer is consumed while the other one is filled.
  const places = [0, 1].map(() => Buffer.allocUnsafe(Math.min(AT_ONCE, size)));
  let turn = 0;
  const part = (start: number): Promise<Buffer> => {
    if (start === size) return Promise.resolve(Buffer.alloc(0));
    turn = 1 - turn;
    return store.read(found, start, (places[turn] as Buffer).subarray(0, size - start), signal);
  };
  let coming = part(continued);
  for (let done = continued; done < size;) {
    const bytes = await coming;
    signal?.throwIfAborted();
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
