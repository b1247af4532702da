import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { decodeDocument } from "@perdura/internals/json/decode_document.js";
import { positionInDocument } from "@perdura/internals/json/document_position.js";
import type { DocumentReceiver } from "@perdura/internals/json/read_document.js";
import type { DocumentBytes } from "../io/document_bytes.ts";
import { utf16Of } from "../io/json_head.ts";
import { Stop } from "../core/stop.ts";
import type { DocumentPlaces } from "./document_places.ts";

/** Receives a document with the tokens that Python writes, and keeps nothing. */
const ANY_DOCUMENT: DocumentReceiver = {
  itemsOf: "patterns",
  nonFinite: "number",
  beginItems: () => undefined,
  items: () => undefined,
  member: () => undefined,
  other: () => undefined,
};

/**
 * Asserts that a document is complete JSON in UTF-8, apart from the tokens `NaN` and `Infinity`.
 *
 * @throws Stop for any other text; no decision repairs it.
 */
export function assertWholeText(bytes: DocumentBytes, path: string, { cut }: DocumentPlaces): void {
  const encoding = utf16Of(bytes.piece({ start: 0, end: 4 }));
  if (encoding !== undefined)
    throw new Stop(
      "refused",
      `Version 16 cannot read the library: ${path} is text in ${encoding}, and JSON files are UTF-8. Nothing was changed. Convert a copy (iconv -f ${encoding} -t UTF-8), replace the file with it, then run this command again.`,
    );
  const read = (place: Uint8Array, position: number): number => bytes.read(place, position);
  try {
    decodeDocument(read, path, ANY_DOCUMENT);
  } catch (error) {
    if (!isPerduraError(error)) throw error;
    if (cut === undefined || !isPerduraError(error, "PERDURA_JSON_DECODE") || !isAtEnd(bytes, error))
      throw new Stop(
        "refused",
        `Version 16 cannot read the library: ${error.message} Nothing was changed. Correct the file, or restore a backup.`,
      );
    const { line, column } = positionInDocument(read, bytes.length);
    throw new Stop(
      "refused",
      `Version 16 cannot read the library: ${path} is cut off: the text ends ${cut === "it is empty" ? "before it begins" : cut} (${line}:${column}). Nothing was changed, and no option can restore the rest. Restore the file from a backup.`,
    );
  }
}

/** Bytes at the end of a cut text in which the reader can find a fault: half of a character, an escape or a word. */
const LAST = 12;

/** True if the fault is that the text ends, or in the last word of it. */
function isAtEnd(bytes: DocumentBytes, error: unknown): boolean {
  const { line, column } = error as { line?: number; column?: number };
  const from = Math.max(0, bytes.length - LAST);
  for (let at = bytes.length; at >= from; at -= 1) {
    const place = positionInDocument((to, position) => bytes.read(to, position), at);
    if (place.line === line && place.column === column)
      return /^[^\s,:{}[\]"]*$|^\\u?[\dA-Fa-f]{0,3}$/.test(bytes.text({ start: at, end: bytes.length }, "latin1"));
  }
  return false;
}
