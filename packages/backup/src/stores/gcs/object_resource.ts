import type { FoundObject } from "../object_store.ts";
import { GcsFailure } from "./failures.ts";
import type { Answer } from "./http_request.ts";

/** What the store says of an object, as far as it is of use. */
export interface ObjectResource {
  name: string;
  size: number;
  generation: string;
  /** Base64, as Google writes it; objects made in some other way may have none. */
  crc32c: string | undefined;
  metadata: Readonly<Record<string, string>>;
}

/** The members to ask for. */
export const RESOURCE_FIELDS = "name,size,generation,crc32c,metadata";

/** @throws GcsFailure where the answer is none of Google's. */
export function resourceOf({ body }: Answer): ObjectResource {
  const { name, size, generation, crc32c, metadata = {} } = jsonOf(body);
  if (typeof name !== "string" || typeof generation !== "string" || !/^\d+$/.test(String(size)))
    throw new GcsFailure("other", `an object without name, size or generation: ${body.toString().slice(0, 100)}`);
  return {
    name,
    size: Number(size),
    generation,
    crc32c: typeof crc32c === "string" ? crc32c : undefined,
    metadata: metadata as Record<string, string>,
  };
}

export function jsonOf(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new GcsFailure("other", `an answer that is not JSON: ${body.toString().slice(0, 100)}`);
}

export function foundObject(key: string, { size, metadata, generation }: ObjectResource): FoundObject {
  return { key, size, metadata, revision: generation };
}
