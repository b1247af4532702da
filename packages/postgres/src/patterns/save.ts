import { ValidationError } from "@perdura/internals/errors/errors.js";
import { assertSavable } from "@perdura/internals/patterns/assert_savable.js";
import { assertMayReplace } from "@perdura/internals/patterns/invalid_patterns.js";
import type { PatternLibrary, PatternUsage } from "@perdura/internals/patterns/library.js";
import { PATTERN_FIELDS, type Pattern } from "@perdura/internals/patterns/pattern.js";
import type { SaveResult, SaveToSqliteOptions } from "@perdura/internals/patterns/save_result.js";
import { patternRow, type PatternRow } from "@perdura/internals/patterns/sqlite_rows.js";
import { describe } from "@perdura/internals/text/describe.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import type { Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";
import { CHANGES, COLUMNS, compared, ROWS } from "./pattern_columns.ts";
import { removeOtherPatterns } from "./replace.ts";
import { writeUsage } from "./usage.ts";

const POSTGRES = { name: "PostgreSQL", takesNul: false };

/** Maximum number of rows in one statement; more rows are hardly faster. */
const ROWS_AT_ONCE = 1000;

/** A save whose values have been checked. */
export interface PreparedSave {
  rows: PatternRow[];
  pendingUsage: readonly PatternUsage[];
  mode: "merge" | "replace";
}

/** Result of a save, and the uses that were not saved yet. */
export interface Written {
  result: SaveResult;
  stillPending: PatternUsage[];
}

/**
 * Copies the data to save, because the library may be changed during the save.
 *
 * @param isSource True if the place to be replaced is the given source.
 * @throws ValidationError for a library that cannot be saved, before anything is sent.
 */
export function prepareSave(
  library: PatternLibrary,
  place: string,
  options: SaveToSqliteOptions,
  isSource: (source: string) => boolean,
): PreparedSave {
  assertOptions("options", options, ["mode", "dropInvalid"]);
  const { mode = "merge" } = options;
  if (mode !== "merge" && mode !== "replace") {
    throw new ValidationError(`expected "merge" or "replace", got ${describe(mode)}. Nothing was written.`, {
      argument: "mode",
    });
  }
  assertSavable(library, place);
  assertMayReplace(library, place, { ...options, mode }, isSource);
  const rows = Array.from(library.patterns.values(), (pattern: Pattern) => patternRow(pattern, place, POSTGRES));
  return { rows, pendingUsage: [...library.pendingUsage], mode };
}

/** Writes a library in the caller's transaction (specification, section 4.1; ruling U-save-existing). */
export async function writeLibrary(session: Session, names: Names, save: PreparedSave): Promise<Written> {
  // Saves run one after the other: with rows in different orders, concurrent saves would cause deadlocks.
  await session.query(`LOCK TABLE ${names.patterns} IN SHARE ROW EXCLUSIVE MODE`);
  await writePatterns(session, names, save.rows);
  const removed =
    save.mode === "replace"
      ? await removeOtherPatterns(
          session,
          names,
          save.rows.map(([id]) => id as string),
        )
      : { removedPatterns: 0, removedUsageRows: 0 };
  const { written, unreferenced } = await writeUsage(session, names, save.pendingUsage);
  await session.query(`INSERT INTO ${names.meta} VALUES ('library_saved', 'yes') ON CONFLICT (key) DO NOTHING`);
  const dropped = save.mode === "replace" ? unreferenced.length : 0;
  return {
    result: {
      patterns: save.rows.length,
      usageRows: written,
      removedPatterns: removed.removedPatterns,
      removedUsageRows: removed.removedUsageRows + dropped,
    },
    stillPending: save.mode === "replace" ? [] : unreferenced,
  };
}

/**
 * Adds new patterns at positions above all others. The positions do not come from the sequence, because replication
 * copies rows but not sequences. If the role may change the sequence, it is advanced for patterns that other programs
 * add.
 */
async function writePatterns(session: Session, names: Names, rows: readonly PatternRow[]): Promise<void> {
  const [last] = await session.query<{ position: number }>(
    `SELECT coalesce(max(position), 0) AS position FROM ${names.patterns}`,
  );
  const above = last?.position ?? 0;
  const place = `$${PATTERN_FIELDS.length + 1}::bigint + place`;
  // Updates only rows that differ, so that equal rows keep their `updated_at`.
  const upsert = `INSERT INTO ${names.patterns} AS kept (${COLUMNS}, position)
    SELECT ${COLUMNS}, ${place} FROM ${ROWS} ORDER BY place
    ON CONFLICT (id) DO UPDATE SET ${CHANGES}, updated_at = excluded.updated_at
    WHERE ${compared("kept")} IS DISTINCT FROM ${compared("excluded")}`;
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
    const some = rows.slice(first, first + ROWS_AT_ONCE);
    await session.query(upsert, [...PATTERN_FIELDS.map((_, column) => some.map((row) => row[column])), above + first]);
  }
  await session.query(
    `SELECT setval(counter, highest) FROM (
       SELECT pg_get_serial_sequence($1, 'position') AS counter, (SELECT max(position) FROM ${names.patterns}) AS highest
     ) AS state WHERE highest > $2 AND has_sequence_privilege(counter, 'UPDATE')`,
    [names.patterns, above],
  );
}
