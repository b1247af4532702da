import { StorageError } from "@perdura/internals/errors/errors.js";
import type { Upload } from "../object_store.ts";
import type { GcsApi } from "./api.ts";
import { crc32cText } from "./crc32c.ts";
import { GcsFailure } from "./failures.ts";
import type { ObjectResource } from "./object_resource.ts";

/** How one attempt at an upload ended: `taken` where an object of that key is there. */
export type Ending = "added" | "taken";

/** What is known after some tries at an upload. */
export interface TriesSoFar {
  /** Whether nothing of them can be in the store, for the message of a failure. */
  isSure: boolean;
  /** The checksum of the whole object, where it was read as a whole. */
  crc: number | undefined;
}

/** Only where there is none of that key. */
export const IF_NONE = { ifGenerationMatch: "0" };

/** @throws StorageError where the source has become another one. */
export async function pieceOf(upload: Upload, start: number, place: Buffer, api: GcsApi): Promise<Buffer> {
  const { length } = place;
  const piece = await upload.read(start, length, place);
  if (piece.length === length) return piece;
  const { shown } = api.place;
  throw new StorageError(
    `${shown}: adding ${upload.key}: ${piece.length} bytes were read from ${start} on, not ${length}: the source has changed. Nothing was stored.`,
    { path: shown },
  );
}

/**
 * Compares what the store has with what was sent. It has compared them itself where it knows how to; where it does not,
 * the object is taken away again.
 */
export async function assertSame(
  api: GcsApi,
  object: string,
  stored: ObjectResource,
  size: number,
  tries: TriesSoFar,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sum = tries.crc === undefined ? undefined : crc32cText(tries.crc);
  if (stored.size === size && [undefined, stored.crc32c].includes(sum)) return;
  const parameters = { ifGenerationMatch: stored.generation };
  tries.isSure = false;
  await api.ask({ method: "DELETE", object, parameters, expected: [204, 200, 404, 412] }, signal).catch(throwFinal);
  tries.isSure = true;
  throw new GcsFailure("damaged", `the store has ${stored.size} bytes with the CRC32C ${stored.crc32c}, not ${sum}`);
}

/** What was tried as often as the limits say is not tried again as a part of something larger. */
export function throwFinal(error: unknown): never {
  throw error instanceof GcsFailure ? error.final() : error;
}
