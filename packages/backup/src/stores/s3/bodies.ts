import { createHash } from "node:crypto";
import type { S3Client } from "@aws-sdk/client-s3";
import { StorageError } from "@perdura/internals/errors/errors.js";
import type { Upload } from "../object_store.ts";
import { CallersError } from "./failures.ts";

/** A part of an upload, with the sum that the store verifies it by. */
export interface Part {
  Body: Buffer;
  ContentMD5?: string;
}

/**
 * Reads a part of an upload into a place of its length. The SDK signs the SHA-256 of a body that is a Buffer, and S3 verifies it; where the SDK adds no
 * sum of its own besides, an MD5 goes with it, for stores that look at that only.
 */
export async function partOf(client: S3Client, upload: Upload, start: number, place: Buffer): Promise<Part> {
  const Body = await bytesOf(upload, start, place);
  const sums = await client.config.requestChecksumCalculation();
  if (sums === "WHEN_SUPPORTED") return { Body };
  return { Body, ContentMD5: createHash("md5").update(Body).digest("base64") };
}

async function bytesOf(upload: Upload, start: number, place: Buffer): Promise<Buffer> {
  const { length } = place;
  if (length === 0) return place;
  const bytes = await upload.read(start, length, place).catch((error: unknown) => {
    throw new CallersError(error);
  });
  if (bytes.length !== length)
    throw new StorageError(
      `${upload.key}: ${length} bytes from ${start} on were to be sent, and ${bytes.length} are there. Nothing was stored.`,
    );
  return bytes;
}
