import { createHash } from "node:crypto";
import { StorageError } from "@perdura/internals/errors/errors.js";
import type { Upload } from "../object_store.ts";
import { UnreadableUpload } from "./own_failures.ts";

/** @throws UnreadableUpload, which is not tried again. */
export async function readPart(upload: Upload, start: number, length: number): Promise<Buffer> {
  try {
    const bytes = await upload.read(start, length);
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
