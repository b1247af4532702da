import { createHash } from "node:crypto";
import { StorageError } from "@perdura/internals/errors/errors.js";
import type { Upload } from "../object_store.ts";
import { UnreadableUpload } from "./own_failures.ts";

/**
 * Reads a part of an upload into a place of its length.
 *
 * @throws UnreadableUpload, which is not tried again.
 */
export async function readPart(upload: Upload, start: number, place: Buffer): Promise<Buffer> {
  const { length } = place;
  try {
    const bytes = await upload.read(start, length, place);
    if (bytes.length === length) return bytes;
    throw new StorageError(
      `${upload.key}: expected ${length} bytes from ${start} on of what is to be stored, got ${bytes.length}. Nothing was stored.`,
    );
  } catch (error) {
    throw new UnreadableUpload(error);
  }
}

/** The checksum that the service compares with the bytes that came. */
export function md5Of(bytes: Buffer): Buffer {
  return createHash("md5").update(bytes).digest();
}
