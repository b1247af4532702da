import { isPlainObject, isRawNumber } from "@perdura/internals/json/values.js";
import type { Range } from "../core/splice.ts";
import type { DocumentPlaces } from "./document_places.ts";
import { reading } from "./examine_library.ts";

/** A pattern of the library as it is now. */
export interface PresentPattern {
  range: Range;
  value: unknown;
}

/** The library as it is now. */
export interface PresentLibrary {
  bytes: Buffer;
  places: DocumentPlaces;
  items: readonly PresentPattern[];
  byId: ReadonlyMap<unknown, readonly PresentPattern[]>;
}

/** Reads every pattern; they need not be valid. */
export function readPresent(bytes: Buffer, places: DocumentPlaces): PresentLibrary {
  const items = places.items.map((range): PresentPattern => ({ range, value: reading(bytes, range).value }));
  return { bytes, places, items, byId: Map.groupBy(items, ({ value }) => idOf(value)) };
}

/** The id of a pattern, which can be anything. */
export function idOf(value: unknown): unknown {
  const id = isPlainObject(value) ? value["id"] : undefined;
  return keyOf(isRawNumber(id) ? id.rawJSON : id);
}

/** An id can be anything; equal objects are the same one. */
export function keyOf(id: unknown): unknown {
  return typeof id === "object" && id !== null ? `\0${JSON.stringify(id)}` : id;
}
