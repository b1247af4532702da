import { countText } from "@perdura/cli/quantities.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { effectOfType } from "@perdura/internals/validity/column_types.js";
import { NO_DECISION } from "@perdura/internals/validity/decide_patterns.js";
import { printable } from "@perdura/internals/terminal/printable.js";
import type { InPieces } from "../../core/progress.ts";
import type { VerificationReport } from "../../core/report.ts";
import { countsIds, readCatalog } from "../sql/catalog.ts";
import { hasPatterns } from "../layouts/known_layouts.ts";
import { INTERACTIONS, isRenamed, lacksLevels, SIDE_TABLE } from "../layouts/metrics_table.ts";
import { knownTables } from "../layouts/table_layouts.ts";
import { differentPatternTables } from "../layouts/pattern_tables.ts";
import { surveyPatterns } from "../patterns/survey_patterns.ts";
import { nextNumber } from "../record/migration_record.ts";
import { KEPT_LEVELS_TABLE } from "../record/side_tables.ts";
import { countAll } from "./comparison.ts";
import { migratedPatterns } from "./migrated_patterns.ts";
import { proveLevels } from "./prove_levels.ts";
import { type ListedTable, proveOtherTables, tablesOfBackup } from "./prove_other_tables.ts";
import { proveMetadata } from "./prove_metadata.ts";
import { proveRows, type ProvedChange } from "./prove_rows.ts";
import { missingObjects, movedCounters, wrongCounters } from "./schema_differences.ts";
import { migratedTables, type Subject } from "./subject.ts";

/** Compares a migrated database with the original's copy. `up` calls it inside its transaction, before the commit. */
export function* proveDatabase(subject: Subject): InPieces<VerificationReport> {
  const { database, before, later } = subject;
  const tables = migratedTables(subject);
  const change: ProvedChange = { database, in16: "main", number: nextNumber(database, "backup"), tables, later };
  const rows = yield* proveRows(change);
  const metadata = yield* proveMetadata(change);
  const others = yield* proveOtherTables(subject, otherTables(subject), ({ name }) => migratedPatterns(subject, name));
  return {
    method: "rows",
    rows_before: before === null ? null : rows.old,
    rows_after: before === null ? null : rows.kept,
    rows_quarantined: rows.quarantined,
    metadata_rows: metadata.kept + metadata.quarantined,
    rows_added_since: later && before !== null ? countAll(database, "main", INTERACTIONS) - rows.kept : 0,
    other_tables: others.tables,
    differences: [
      ...rows.differences,
      ...tables.flatMap(({ table, idOffset }) => proveLevels(subject, table, idOffset)),
      ...metadata.differences,
      ...others.differences,
      ...(yield* unreadablePatterns(database)),
      ...proveSchema(subject),
    ],
  };
}

/** The tables of the backup, except for those of the interactions. */
export function otherTables({ database, before, second }: Subject): ListedTable[] {
  const handled = [
    ...[before, second].flatMap((table) => (table === null ? [] : [table.name.toLowerCase()])),
    ...(before === null ? [] : [SIDE_TABLE]),
    ...(lacksLevels(before, second) ? [KEPT_LEVELS_TABLE] : []),
  ];
  return tablesOfBackup(database, new Set(handled));
}

/** Reads every pattern as version 16 does. */
export function* unreadablePatterns(database: Database): InPieces<string[]> {
  if (!hasPatterns(readCatalog(database, knownTables()))) return [];
  const { unusual } = yield* surveyPatterns(database, NO_DECISION);
  return [
    ...differentPatternTables(database).flatMap(({ name, missing, otherTypes }) => [
      ...missing.map((column) => `version 16 cannot use the table ${name}: it has no column ${column.name}`),
      ...otherTypes.map((type) => `the table ${name}: ${effectOfType(type, "version 16")}`),
    ]),
    ...unusual.map(
      ({ rows, description, row_ids: ids }) =>
        `version 16 cannot read ${countText(rows, "pattern")}: ${description} (${ids.map(printable).join(", ")}${rows > ids.length ? ", …" : ""})`,
    ),
  ];
}

/**
 * Proves that all indexes, views, triggers and tables of the user exist, and that the counters of row ids are
 * unchanged.
 */
export function proveSchema({ database, before, second, dropped, written, later }: Subject): string[] {
  if (later) return [];
  const missing = missingObjects(
    database,
    ({ type, name, table }) =>
      // Objects of a table are dropped with it.
      (second !== null && type !== "view" && table.toLowerCase() === second.name.toLowerCase()) ||
      (type === "table" && name === before?.name && isRenamed(before)) ||
      // Dropped once its levels are in the rows, which is proved with them.
      (type === "table" && name === KEPT_LEVELS_TABLE && lacksLevels(before, second)) ||
      (type === "index" && dropped.includes(name)),
  );
  if (!countsIds(database, "backup")) return missing;
  const renamed = before !== null && isRenamed(before) ? before.name.toLowerCase() : undefined;
  const merged = second === null ? [] : [second.name.toLowerCase(), "interactions"];
  const moved = movedCounters(database, renamed)
    .filter((name) => ![...merged, ...written].includes(name.toLowerCase()))
    .map((name) => (name.toLowerCase() === renamed ? "interactions" : name));
  return [
    ...missing,
    ...wrongCounters([...moved, ...(second !== null && isCounterTooLow(database) ? ["interactions"] : [])]),
  ];
}

/** True if the counter is too low: it must increase with the merged rows, and never decrease. */
function isCounterTooLow(database: Database): boolean {
  const counter = (schema: string): string =>
    `(SELECT seq FROM ${schema}.sqlite_sequence WHERE name = 'interactions' COLLATE NOCASE)`;
  const lowest = `max(ifnull(${counter("backup")}, 0), (SELECT ifnull(max(id), 0) FROM main.interactions))`;
  return (
    database
      .prepare(`SELECT ${counter("main")} < ${lowest}`)
      .pluck()
      .get() === 1
  );
}
