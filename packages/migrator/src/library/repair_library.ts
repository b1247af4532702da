import { decodeJson } from "@perdura/internals/json/decode.js";
import { stringifyExact } from "@perdura/internals/json/exact_numbers.js";
import { isPlainObject } from "@perdura/internals/json/values.js";
import { decodeDocument } from "@perdura/internals/json/decode_document.js";
import { LibraryDocument } from "@perdura/internals/patterns/json_document.js";
import type { PatternDecisions } from "../database/patterns/repair_row.ts";
import { type LibrarySurvey, surveyLibrary } from "./survey_library.ts";
import type { HasSettings } from "../core/run.ts";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { backupsOf, existing } from "../io/copy_database.ts";

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

/** What a library is, compared with its newest backup. */
type LibraryState =
  /** As the repair of the backup left it. */
  | "repaired"
  /** As the backup is. */
  | "original"
  /** A program has saved it since. */
  | "saved_since";

const DECISIONS: readonly PatternDecisions[] = ([null, "null", "text"] as const).flatMap((nonFinite) =>
  ([null, "drop-zone", "utc"] as const).map((timestamps) => ({ nonFinite, timestamps })),
);

/** The newest backup of a library, or the one that a report names; undefined where there is none. */
export function backupOfLibrary(path: string, { settings }: HasSettings, reported?: string): string | undefined {
  return backupsOf(path, settings.backupDir).at(-1) ?? existing(reported);
}

/** Tells by the bytes alone: what a repair makes of a backup depends on nothing but the decisions. */
export function stateOf(path: string, backup: string): LibraryState {
  const [now, original] = [readWhole(path), readWhole(backup)];
  if (now.equals(original)) return "original";
  const isRepair = DECISIONS.some((decisions) =>
    Buffer.from(repairedText(original, backup, surveyLibrary(backup, decisions), decisions)).equals(now),
  );
  return isRepair ? "repaired" : "saved_since";
}
