import { decodeJson } from "@perdura/internals/json/decode.js";
import { stringifyExact } from "@perdura/internals/json/exact_numbers.js";
import { isPlainObject } from "@perdura/internals/json/values.js";
import { decodeDocument } from "@perdura/internals/json/decode_document.js";
import { LibraryDocument } from "@perdura/internals/patterns/json_document.js";
import type { PatternDecisions } from "../database/patterns/repair_row.ts";
import type { LibrarySurvey } from "./survey_library.ts";

/**
 * Makes the text of a library that version 16 reads: what the decisions repair is repaired, what stays unreadable is left
 * out, and everything else of the document is unchanged, members that no line reads included.
 *
 * @param path Names the document in errors.
 * @throws ValidationError where it is too large for one string.
 */
export function repairedText(
  bytes: Uint8Array,
  path: string,
  { unreadable, repaired, patterns }: LibrarySurvey,
  { nonFinite }: PatternDecisions,
): string {
  const document = decodeJson(bytes, path, nonFinite ?? "null") as { [key: string]: unknown };
  const kept = (document["patterns"] as unknown[]).flatMap((pattern, index) => {
    if (unreadable.has(index)) return [];
    const fields = repaired.get(index);
    return [fields === undefined ? pattern : { ...(pattern as object), ...fields }];
  });
  document["patterns"] = kept;
  const { metadata } = document;
  if (isPlainObject(metadata) && metadata["pattern_count"] === patterns) metadata["pattern_count"] = kept.length;
  const text = `${stringifyExact(document, 2)}\n`;
  assertReadable(text, path, kept.length);
  return text;
}

/** Reads what would be written as version 16 does. */
function assertReadable(text: string, path: string, patterns: number): void {
  const bytes = Buffer.from(text);
  const document = new LibraryDocument();
  decodeDocument((place, position) => bytes.copy(place, 0, position), path, document);
  const { size } = document.library(path);
  if (size !== patterns) throw new Error(`${path}: ${size} patterns would be read of ${patterns}.`);
}
