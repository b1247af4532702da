import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import { blockingCondition } from "@perdura/internals/validity/interaction_problems.js";
import { type Catalog, entryNamed } from "../sql/catalog.ts";
import { INTERACTIONS, isRenamed, type MetricsTable, renamedColumns, SIDE_TABLE } from "../layouts/metrics_table.ts";
import { rebuildMetricsTable } from "../layouts/rebuild_metrics_table.ts";
import { isRowId } from "../sql/row_id.ts";
import { namesIn } from "../sql/sql_text.ts";
import { virtualTableUsing } from "../sql/virtual_tables.ts";
import { countFrom } from "../sql/count_from.ts";

/** @throws Stop for everything that would make the change of a metrics table fail, or silently corrupt it. */
export function assertNoObstacle(database: Database, catalog: Catalog, table: MetricsTable): void {
  assertIdIsRowId(database, catalog, table);
  assertSideTable(database, table);
  // The arguments of virtual tables contain names of tables and columns, which ALTER TABLE does not change.
  assertNoVirtualTables(catalog, table);
  if (isRenamed(table)) {
    assertFreeNames(catalog, [INTERACTIONS, ...(table.sideTable ? [] : [SIDE_TABLE])]);
    if (table.sideTable) assertReusable(database, catalog, table);
    assertNoStaleCounter(database, catalog);
  }
}

/**
 * @throws Stop if `id` is not the row id: a primary key that is the row id needs no index; in other tables an id can be
 *   NULL or duplicate.
 */
export function assertIdIsRowId(database: Database, catalog: Catalog, { name }: MetricsTable): void {
  if (!isRowId(database, name))
    throw new Stop(
      "refused",
      `The column id of the table ${name} is not the row id (its primary key has other columns, is descending, or the table is WITHOUT ROWID). Version 16 requires id INTEGER PRIMARY KEY. Rebuild the table first, in the sqlite3 shell: ${rebuildMetricsTable(catalog, name)}`,
    );
}

/** @throws Stop if the side table is not one of version 16. */
export function assertSideTable(database: Database, { sideTable }: MetricsTable): void {
  if (!sideTable) return;
  const columns = database
    .prepare("SELECT lower(name) || ' ' || iif(pk, upper(type), '') FROM pragma_table_xinfo(?, 'main') ORDER BY 1")
    .pluck()
    .all("interaction_metadata") as string[];
  if (columns.join() !== "interaction_id INTEGER,metadata ")
    throw new Stop(
      "refused",
      "The name interaction_metadata is needed for a table of version 16 with the columns interaction_id INTEGER PRIMARY KEY and metadata, but the table of that name has other columns. Rename it first.",
    );
}

/** @throws Stop that names the object whose name is needed for a table. */
export function assertFreeNames(catalog: Catalog, names: readonly string[]): void {
  for (const name of names) {
    const taken = entryNamed(catalog, name);
    if (taken !== undefined)
      throw new Stop(
        "refused",
        `The name ${name} is needed for a table of version 16, but there is a ${taken.type} of that name. Rename it first.`,
      );
  }
}

/** @throws Stop if another object has the name of a table that version 16 creates on its first save. */
export function assertUsageIsTable(catalog: Catalog): void {
  if (entryNamed(catalog, "pattern_usage", "table") === undefined) assertFreeNames(catalog, ["pattern_usage"]);
}

function assertNoStaleCounter(database: Database, catalog: Catalog): void {
  if (entryNamed(catalog, "sqlite_sequence") === undefined) return;
  const stale = database.prepare("SELECT 1 FROM main.sqlite_sequence WHERE name = 'interactions' COLLATE NOCASE").get();
  if (stale !== undefined)
    throw new Stop(
      "refused",
      "The table sqlite_sequence has a counter for a table interactions, which does not exist; new rows would get wrong ids. Delete that row of sqlite_sequence first.",
    );
}

/** @throws Stop that names a virtual table that reads the table by a name that changes: that of the table, or of a column. */
export function assertNoVirtualTables(catalog: Catalog, table: MetricsTable): void {
  const columns = renamedColumns(table).map(({ name }) => name);
  const found = virtualTableUsing(catalog.entries, table.name, isRenamed(table) ? null : columns);
  if (found !== undefined)
    throw new Stop(
      "refused",
      `The virtual table ${found.name} uses the name ${found.used}, which the migration changes, so it would read wrong data afterwards. Drop it first, and create it again on the table interactions afterwards.`,
    );
}

/**
 * Without AUTOINCREMENT the next id is the highest one plus 1: once the last row is quarantined, another row would get
 * its id.
 *
 * @throws Stop if the last row of such a table would be quarantined.
 */
export function assertIdsNotReused(database: Database, catalog: Catalog, table: MetricsTable): void {
  const statement = entryNamed(catalog, table.name, "table")?.sql ?? "";
  if (namesIn(statement).some(({ name, bare }) => bare && name === "autoincrement")) return;
  const name = `main.${sqlName(table.name)}`;
  const last = database
    .prepare(`SELECT id FROM ${name} WHERE id = (SELECT max(id) FROM ${name}) AND (${blockingCondition(table)})`)
    .pluck()
    .safeIntegers()
    .get();
  if (last !== undefined)
    throw new Stop(
      "refused",
      `The table ${table.name} has no AUTOINCREMENT: if its last row (id ${String(last)}) were moved to quarantine, the next row would get the same id. Correct that row first.`,
    );
}

/**
 * A downgrade leaves the side table if its metadata has no row to return to; the next migration takes it over.
 *
 * @throws Stop if it is another table, or if its rows would become those of other interactions.
 */
function assertReusable(database: Database, catalog: Catalog, table: MetricsTable): void {
  if (!isText(database) || !refersTo(database, ["interactions", table.name.toLowerCase()]))
    throw new Stop(
      "refused",
      `The name ${SIDE_TABLE} is needed for a table of version 16 whose metadata is TEXT and whose interaction_id refers to the interactions, but the table of that name is different. Rename it first.`,
    );
  const trigger = catalog.entries.find((entry) => entry.type === "trigger" && entry.table.toLowerCase() === SIDE_TABLE);
  if (trigger !== undefined)
    throw new Stop(
      "refused",
      `The trigger ${trigger.name} on ${SIDE_TABLE} would fire for the metadata that the migration moves there. Drop it first.`,
    );
  const both = database
    .prepare(
      `SELECT CAST(min(interaction_id) AS TEXT) FROM main.${SIDE_TABLE} WHERE interaction_id IN (SELECT id FROM main.${sqlName(table.name)})`,
    )
    .pluck()
    .get() as string | null;
  if (both !== null)
    throw new Stop(
      "refused",
      `The table ${SIDE_TABLE}, left by an earlier migration, has metadata for the id ${both}, which does not belong to the row of ${table.name} with that id. Delete or move that row of ${SIDE_TABLE} first.`,
    );
}

/** A note for the operator about it. */
export function notesOnReused(database: Database, { names: { metadata }, sideTable }: MetricsTable): string[] {
  if (metadata === null || !sideTable) return [];
  const rows = countFrom(database, `main.${SIDE_TABLE}`);
  return [
    `the existing table ${SIDE_TABLE} is reused; its ${rows === 1 ? "1 row of a deleted interaction is" : `${rows} rows of deleted interactions are`} kept`,
  ];
}

function isText(database: Database): boolean {
  return (
    database
      .prepare("SELECT upper(type) FROM pragma_table_xinfo(?, 'main') WHERE name = 'metadata' COLLATE NOCASE")
      .pluck()
      .get(SIDE_TABLE) === "TEXT"
  );
}

function refersTo(database: Database, tables: readonly string[]): boolean {
  const found = database
    .prepare(`SELECT lower("table") FROM pragma_foreign_key_list(?, 'main')`)
    .pluck()
    .all(SIDE_TABLE) as string[];
  const [parent, ...others] = found;
  if (parent === undefined || others.length > 0) return false;
  // A missing table is the subject of another decision.
  return tables.includes(parent) || !hasTable(database, parent);
}
