import { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { deriveContributions } from "@perdura/internals/patterns/contributions.js";
import { PATTERN_FIELDS } from "@perdura/internals/patterns/pattern.js";
import { readStoredPattern, type StoredRow } from "@perdura/internals/patterns/stored_pattern.js";
import type { Session } from "../connection/connection.ts";
import { rowsInTurn } from "../connection/rows_in_turn.ts";
import type { Names } from "../layout/names.ts";
import { selected } from "./pattern_columns.ts";

/**
 * Reads the library in the caller's transaction, patterns in the order of `position` (ruling U-order).
 *
 * @returns Undefined when nothing was saved yet.
 * @throws CorruptDataError for a row that is no pattern.
 */
export async function readLibrary(session: Session, names: Names, place: string): Promise<PatternLibrary | undefined> {
  const [saved] = await session.query(
    `SELECT 1 FROM ${names.meta} WHERE key = 'library_saved' UNION ALL (SELECT 1 FROM ${names.patterns} LIMIT 1)`,
  );
  if (saved === undefined) return undefined;
  const library = new PatternLibrary();
  for await (const row of rowsInTurn(
    session,
    `SELECT position, ${selected("own")} FROM ${names.patterns} AS own ORDER BY position, id`,
  )) {
    const pattern = readStoredPattern(
      [row["position"], ...PATTERN_FIELDS.map((field) => row[field])] as StoredRow,
      place,
    );
    library.patterns.set(pattern.id, pattern);
  }
  deriveContributions(library);
  return library;
}
