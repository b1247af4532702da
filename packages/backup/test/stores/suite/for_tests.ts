import { createHash, randomUUID } from "node:crypto";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { expect } from "vitest";
import type { FoundObject, ObjectStore, Upload } from "../../../src/stores/object_store.ts";

/** An upload of the given bytes, with its own id like that of the core. */
export function uploadOf(key: string, bytes: Buffer): Upload {
  return {
    key,
    size: bytes.length,
    contentType: "application/octet-stream",
    metadata: { upload: randomUUID(), note: 'a "note" = 1, (2); <3>&%41~' },
    read: async (start, length) => bytes.subarray(start, start + length),
  };
}

export async function foundIn(store: ObjectStore, key: string): Promise<FoundObject> {
  const found = await store.find(key);
  if (found === undefined) throw new Error(`${store.place}: ${key} is not there`);
  return found;
}

export async function bytesIn(store: ObjectStore, key: string): Promise<Buffer> {
  const found = await foundIn(store, key);
  return store.read(found, 0, Buffer.alloc(found.size));
}

export async function listed(store: ObjectStore, prefix: string, signal?: AbortSignal) {
  const found: { key: string; size: number }[] = [];
  for await (const each of store.list(prefix, signal)) found.push(each);
  return found;
}

export function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Expects an error of perdura that names the place. @returns Its message. */
export async function expectStorageError(task: Promise<unknown>, place: string): Promise<string> {
  const error: unknown = await task.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isPerduraError(error, "PERDURA_STORAGE")) throw error ?? new Error("expected a StorageError, got none");
  expect(error.path).toBe(place);
  expect(error.message).toContain(place);
  return error.message;
}
