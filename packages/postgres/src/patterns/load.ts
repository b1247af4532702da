import type { InvalidPattern, LibraryLoadOptions } from "@perdura/internals/patterns/invalid_patterns.js";
import { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { deriveContributions } from "@perdura/internals/patterns/contributions.js";
import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import {
  corruptRow,
  invalidRow,
  readStoredPattern,
  RowFault,
  type StoredRow,
} from "@perdura/internals/patterns/stored_pattern.js";
import type { Session } from "../connection/connection.ts";
import { cursorRows } from "../connection/cursor_rows.ts";
import type { Names } from "../layout/names.ts";
import { selected } from "./pattern_columns.ts";

/** A pattern library, and the rows that are not patterns. */
export interface StoredPatterns {
  library: PatternLibrary;
  invalid: InvalidPattern[];
}

/**
 * Reads the library and the rows that are not patterns in the caller's transaction.
 *
 * @returns Undefined if no library was saved yet.
 */
export async function readEveryPattern(
  session: Session,
  names: Names,
  place: string,
  nonFinite?: LibraryLoadOptions["nonFinite"],
): Promise<StoredPatterns | undefined> {
  const invalid: InvalidPattern[] = [];
  const library = await readLibrary(session, names, place, { nonFinite, onInvalid: () => undefined }, invalid);
  return library && { library, invalid };
}

/**
 * Reads the library in the caller's transaction, patterns in the order of `position` (ruling U-order).
 *
 * @param invalid Receives the rows that are not patterns if `onInvalid` was given; `onInvalid` is not called here.
 * @returns Undefined if no library was saved yet.
 * @throws CorruptDataError for a row that is not a pattern.
 */
export async function readLibrary(
  session: Session,
  names: Names,
  place: string,
  { nonFinite, onInvalid }: LibraryLoadOptions,
  invalid: InvalidPattern[],
): Promise<PatternLibrary | undefined> {
  const [saved] = await session.query(
    `SELECT 1 FROM ${names.meta} WHERE key = 'library_saved' UNION ALL (SELECT 1 FROM ${names.patterns} LIMIT 1)`,
  );
  if (saved === undefined) return undefined;
  const library = new PatternLibrary();
  for await (const row of cursorRows(
    session,
    `SELECT position, ${selected("own")} FROM ${names.patterns} AS own ORDER BY position, id`,
  )) {
    const stored = [row["position"], ...PATTERN_FIELDS.map((field) => row[field])] as StoredRow;
    const pattern = readStoredPattern(stored, nonFinite);
    if (!(pattern instanceof RowFault)) library.patterns.set(pattern.id, pattern);
    else if (onInvalid === undefined) throw corruptRow(stored, pattern, place);
    else invalid.push(invalidRow(stored, pattern, place));
  }
  deriveContributions(library);
  return library;
}
