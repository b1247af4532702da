import { StorageError } from "@perdura/internals/errors/errors.js";
import type { Upload } from "../object_store.ts";
import type { GcsApi } from "./api.ts";
import { crc32cText } from "./crc32c.ts";
import { GcsFailure } from "./failures.ts";
import { resourceOf } from "./object_resource.ts";
import type { Answer } from "./http_request.ts";

/** How one attempt at an upload ended: `taken` where an object of that key is there. */
export type Ending = "added" | "taken";

/** Only where there is none of that key. */
export const IF_NONE = { ifGenerationMatch: "0" };

/** @throws StorageError where the source has become another one. */
export async function pieceOf(upload: Upload, start: number, length: number, api: GcsApi): Promise<Buffer> {
  const piece = await upload.read(start, length);
  if (piece.length === length) return piece;
  const { shown } = api.place;
  throw new StorageError(
    `${shown}: adding ${upload.key}: ${piece.length} bytes were read from ${start} on, not ${length}: the source has changed. Nothing was stored.`,
    { path: shown },
  );
}

/**
 * Compares what the store says it has with what was sent. The store has compared them already where it knows the checksum;
 * where it does not, the object is taken away again.
 */
export async function assertSame(
  api: GcsApi,
  object: string,
  answer: Answer,
  crc: number,
  size: number,
  signal?: AbortSignal,
): Promise<void> {
  const stored = resourceOf(answer);
  if (stored.size === size && (stored.crc32c === undefined || stored.crc32c === crc32cText(crc))) return;
  const parameters = { ifGenerationMatch: stored.generation };
  await api.ask({ method: "DELETE", object, parameters, expected: [204, 200, 404, 412] }, signal);
  throw new GcsFailure(
    "damaged",
    `the store has ${stored.size} bytes with the CRC32C ${stored.crc32c}, not what was sent`,
  );
}
