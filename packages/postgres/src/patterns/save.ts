import { assertSavable } from "@perdura/internals/patterns/assert_savable.js";
import { assertMayReplace } from "@perdura/internals/patterns/invalid_patterns.js";
import { knownUse, useToRemember } from "@perdura/internals/patterns/known_use.js";
import type { PatternLibrary, PatternUsage } from "@perdura/internals/patterns/library.js";
import { type Pattern } from "@perdura/internals/patterns/pattern.js";
import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import {
  checkedMode,
  type SaveMode,
  type SaveResult,
  type SaveToSqliteOptions,
} from "@perdura/internals/patterns/save_result.js";
import { patternRow, type PatternRow } from "@perdura/internals/patterns/sqlite_rows.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import type { Session } from "../connection/connection.ts";
import { RowLeftOut } from "../connection/failures.ts";
import { mayLeaveOut } from "../layout/left_out.ts";
import type { Names } from "../layout/names.ts";
import {
  CHANGES,
  CHANGES_OF_USE,
  COLUMNS,
  compared,
  isNotStored,
  ROW_PARAMETERS,
  ROWS,
  USE,
  VALUES,
} from "./pattern_columns.ts";
import { removeOtherPatterns } from "./replace.ts";
import { writeUsage } from "./usage.ts";

const POSTGRES = { name: "PostgreSQL", takesNul: false };

/** Maximum number of rows in one statement; more rows are hardly faster. */
const ROWS_AT_ONCE = 1000;

/** A save whose values have been checked. */
export interface PreparedSave {
  /** Values of {@link PATTERN_FIELDS}. */
  rows: PatternRow[];
  /** The use that the library and the database had when they last agreed; asked for after all earlier saves. */
  knownUse: () => ReturnType<typeof knownUse>;
  /** Notes what the database has after the save. */
  remember: () => void;
  pendingUsage: readonly PatternUsage[];
  mode: SaveMode;
}

/** Result of a save, and the uses that were not saved yet. */
export interface Written {
  result: SaveResult;
  stillPending: PatternUsage[];
}

/**
 * Copies the data to save, because the library may be changed during the save.
 *
 * @param source The place as a source of libraries.
 * @throws ValidationError for a library that cannot be saved, before anything is sent.
 */
export function prepareSave(
  library: PatternLibrary,
  place: string,
  options: SaveToSqliteOptions,
  source: string,
): PreparedSave {
  assertOptions("options", options, ["mode", "dropInvalid"]);
  const mode = checkedMode(options.mode);
  assertSavable(library, place);
  assertMayReplace(library, place, { ...options, mode }, (other) => other === source);
  const rows = Array.from(library.patterns.values(), (pattern: Pattern) => patternRow(pattern, place, POSTGRES));
  const pendingUsage = [...library.pendingUsage];
  return {
    rows,
    pendingUsage,
    mode,
    knownUse: () => (mode === "replace" ? () => undefined : knownUse(library, source, pendingUsage)),
    remember: useToRemember(library, source),
  };
}

/** Writes a library in the caller's transaction (specification, section 4.1; ruling U-save-existing). */
export async function writeLibrary(session: Session, names: Names, save: PreparedSave): Promise<Written> {
  // Saves run one after the other: with rows in different orders, concurrent saves would cause deadlocks.
  await session.query(`LOCK TABLE ${names.patterns} IN SHARE ROW EXCLUSIVE MODE`);
  const stored = save.mode === "add" ? await countStored(session, names, save.rows) : 0;
  await writePatterns(session, names, save);
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
      patterns: save.rows.length - stored,
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
async function writePatterns(
  session: Session,
  names: Names,
  { rows, knownUse: known, mode }: PreparedSave,
): Promise<void> {
  const useOf = known();
  const [last] = await session.query<{ position: number }>(
    `SELECT coalesce(max(position), 0) AS position FROM ${names.patterns}`,
  );
  const above = last?.position ?? 0;
  const place = `$${ROW_PARAMETERS + 1}::bigint + place`;
  // Updates only rows that differ, so that equal rows keep their `updated_at`.
  const checks = await mayLeaveOut(session, names.patterns);
  const upsert = `INSERT INTO ${names.patterns} AS stored (${COLUMNS}, position)
    SELECT ${VALUES}, ${place} FROM ${ROWS} LEFT JOIN ${names.patterns} AS kept ON kept.id = given.id ORDER BY place
    ON CONFLICT (id) DO UPDATE SET ${mode === "add" ? CHANGES_OF_USE : CHANGES}, updated_at = excluded.updated_at
    WHERE ${compared("stored", mode)} IS DISTINCT FROM ${compared("excluded", mode)}${checks ? " RETURNING id" : ""}`;
  const leftOut = `SELECT 1 FROM ${ROWS} LEFT JOIN ${names.patterns} AS stored ON stored.id = given.id
    WHERE given.id <> ALL ($${ROW_PARAMETERS + 1}::text[]) AND ${mode === "add" ? "stored.id IS NULL" : isNotStored("stored", "given")} LIMIT 1`;
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
    const some = rows
      .slice(first, first + ROWS_AT_ONCE)
      .map((row) => [...row, ...(useOf(countedOf(row)) ?? (mode === "add" ? useIn(row) : NOTHING_KNOWN))]);
    const columns = Array.from({ length: ROW_PARAMETERS }, (_, column) => some.map((row) => row[column]));
    const written = await session.query<{ id: string }>(upsert, [...columns, above + first]);
    if (!checks) continue;
    const unwritten = await session.query(leftOut, [...columns, written.map(({ id }) => id)]);
    if (unwritten.length > 0) throw new RowLeftOut("patterns");
  }
  await session.query(
    `SELECT setval(counter, highest) FROM (
       SELECT pg_get_serial_sequence($1, 'position') AS counter, (SELECT max(position) FROM ${names.patterns}) AS highest
     ) AS state WHERE highest > $2 AND has_sequence_privilege(counter, 'UPDATE')`,
    [names.patterns, above],
  );
}

const NOTHING_KNOWN = [null, null, null, null];

/** The use of a row, as if the library and the table had agreed on it: none is added to a stored row. */
const useIn = (row: PatternRow): unknown[] => USE.map((field) => row[PATTERN_FIELDS.indexOf(field)]);

/** Number of the rows that the table has. */
async function countStored(session: Session, names: Names, rows: readonly PatternRow[]): Promise<number> {
  const [found] = await session.query<{ stored: number }>(
    `SELECT count(*)::integer AS stored FROM ${names.patterns} WHERE id = ANY ($1::text[])`,
    [rows.map(([id]) => id)],
  );
  return found?.stored ?? 0;
}

function countedOf(row: PatternRow): Parameters<ReturnType<typeof knownUse>>[0] {
  const [id, usage_count, success_count, failure_count] = COUNTED.map((field) => row[PATTERN_FIELDS.indexOf(field)]);
  return {
    id: id as string,
    usage_count: usage_count as number,
    success_count: success_count as number,
    failure_count: failure_count as number,
  };
}

const COUNTED = ["id", "usage_count", "success_count", "failure_count"] as const;
