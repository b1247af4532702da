import { INTERACTIONS, isRenamed, keptColumns, renamedColumns, SIDE_TABLE } from "../layouts/metrics_table.ts";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { assertIndexesCreatable } from "../objects/index_functions.ts";
import { allColumnsOf, type Catalog, entryNamed, hasTable, type SchemaEntry } from "../sql/catalog.ts";
import { recognise } from "../layouts/known_layouts.ts";
import { PATTERN_TABLES, patternQuarantineColumns } from "../patterns/pattern_steps.ts";
import { QUARANTINE_TABLE, quarantineColumns } from "../record/quarantine.ts";
import { ownColumns, RECORD, RECORDS } from "../record/side_tables.ts";
import { virtualTableUsing } from "../sql/virtual_tables.ts";
import { columnsByText, type ObjectChanges } from "./objects.ts";
import { type FormerState, isOf16 } from "./former_state.ts";

/** @throws Stop for everything that would make the downgrade fail or lose data. */
export function assertCanDowngrade(
  database: Database,
  catalog: Catalog,
  state: FormerState,
  changes: ObjectChanges,
): void {
  const { metrics, second } = state;
  assertOwnColumns(database, state);
  if (metrics === null) return;
  for (const { name } of [metrics, ...(second === null ? [] : [second])])
    if (name.toLowerCase() !== "interactions") assertNameIsFree(catalog, name, changes);
  if (!hasTable(catalog, "interactions"))
    throw new Stop(
      "refused",
      "The table interactions of version 16 does not exist, so there are no rows to downgrade. Use the backup from before the migration.",
    );
  assertSameColumns(database, state);
  assertNoVirtualTable(catalog, state);
}

function assertNameIsFree(catalog: Catalog, name: string, { remove }: ObjectChanges): void {
  const taken = entryNamed(catalog, name);
  if (taken === undefined || remove.some((entry) => entry.type === taken.type && entry.name === taken.name)) return;
  throw new Stop("refused", taken.type === "table" ? takenByTable(catalog, taken.name) : takenByObject(taken));
}

/** `up` merges a table that a pre-16 program made; any other table of that name belongs to another program. */
function takenByTable(catalog: Catalog, name: string): string {
  return recognise(catalog).treatment === "merge"
    ? `A pre-16 program has created a table ${name} since the migration. Run up first, which merges it into interactions; then run down.`
    : `The downgrade needs the name ${name} for the table of the pre-16 layout, but another table has this name, and up cannot merge it, because its columns are not those of a pre-16 program. Rename or drop that table first; then run down.`;
}

function takenByObject({ type, name }: SchemaEntry): string {
  return `The downgrade needs the name ${name} for the table of the pre-16 layout, but the ${type} of this name is not the one that the migration created. Rename it first.`;
}

/**
 * Checks indexes that stay, and those that are created again. If only names change, an index is not touched.
 *
 * @param returns True if rows return from the quarantine.
 * @throws Stop that names an index with an unavailable function.
 */
export function assertIndexesUsable(
  catalog: Catalog,
  state: FormerState,
  { restore }: ObjectChanges,
  returns: boolean,
): void {
  const { former, metrics, second, rebuilds } = state;
  if (rebuilds || second !== null || returns) assertIndexesCreatable(catalog.entries, ["interactions", SIDE_TABLE]);
  const old = [metrics, second].flatMap((table) => (table === null ? [] : [table.name]));
  const indexes = restore.filter(({ type, name }) => type === "index" && entryNamed(catalog, name, type) === undefined);
  assertIndexesCreatable([...former.objects.filter(({ type }) => type === "table"), ...indexes], old);
}

/** The old table has no place for a column that was added since, and a dropped column has no values left. */
function assertSameColumns(database: Database, state: FormerState): void {
  const now = allColumnsOf(database, INTERACTIONS).map(lower);
  const expected = expectedColumns(state);
  const added = now.filter((column) => !expected.includes(column));
  const gone = expected.filter((column) => !now.includes(column));
  if (gone.length > 0)
    throw new Stop(
      "refused",
      `The column ${gone[0]} of interactions was dropped or renamed since the migration, but the pre-16 layout needs it. Add it again first.`,
    );
  if (added.length > 0 && !(state.metrics !== null && state.second === null && isOf16(state.metrics)))
    throw new Stop(
      "refused",
      `The column ${added[0]} of interactions was added since the migration, and the pre-16 layout does not have it. Move its values to another table and drop the column first, or stay with version 16.`,
    );
}

function expectedColumns({ metrics, former }: FormerState): string[] {
  if (metrics === null) return [];
  const entry = former.objects.find(({ type, name }) => type === "table" && name === metrics.name);
  const { metadata } = metrics.names;
  const names = new Map(keptColumns(metrics).map(({ name, to }) => [name, to]));
  // Generated columns keep their names.
  const kept = columnsByText(metrics.columns, entry).filter((column) => column !== metadata);
  return [...new Set([...kept.map((column) => lower(names.get(column) ?? column)), "level"])];
}

/** The arguments of virtual tables contain names of tables and columns, which ALTER TABLE does not change. */
function assertNoVirtualTable({ entries }: Catalog, { metrics }: FormerState): void {
  if (metrics === null) return;
  const columns = renamedColumns(metrics).map(({ to }) => to);
  const found = virtualTableUsing(entries, INTERACTIONS, isRenamed(metrics) ? null : columns);
  if (found !== undefined)
    throw new Stop(
      "refused",
      `The virtual table ${found.name} uses the name ${found.used}, which the downgrade changes, so it would read wrong data afterwards. Drop it first.`,
    );
}

function lower(name: string): string {
  return name.toLowerCase();
}

/**
 * Tables of the migration are dropped completely, with any column that another program added.
 *
 * @throws Stop that names such a column.
 */
function assertOwnColumns(database: Database, state: FormerState): void {
  const before = new Set(state.records[0]?.former.objects.map(({ name }) => name.toLowerCase()));
  const own: [table: string, columns: readonly string[]][] = [
    ...(losesSideRows(state) ? [[SIDE_TABLE, ["interaction_id", "metadata"]] satisfies [string, string[]]] : []),
    [QUARANTINE_TABLE, columnsForRows(state)],
    ...RECORDS.filter(({ name }) => !before.has(name)).map((table): [string, string[]] => [
      table.name,
      ownColumns(table),
    ]),
  ];
  for (const [table, columns] of own) assertNoAddedColumn(database, table, columns);
}

/** @throws Stop if the records of migrations cannot be read because their table has additional columns. */
export function assertRecordsReadable(database: Database): void {
  const columns = allColumnsOf(database, RECORD.name);
  if (ownColumns(RECORD).every((column) => columns.includes(column)))
    assertNoAddedColumn(database, RECORD.name, ownColumns(RECORD));
}

function assertNoAddedColumn(database: Database, table: string, expected: readonly string[]): void {
  const known = new Set(expected.map((column) => column.toLowerCase()));
  const added = allColumnsOf(database, table).find((column) => !known.has(column.toLowerCase()));
  if (added !== undefined)
    throw new Stop(
      "refused",
      `The column ${added} of ${table} was added or renamed since the migration, and the downgrade deletes rows of that table. Move its values to another table and drop the column first, or stay with version 16.`,
    );
}

/** True unless the side table existed before and its rows have no column to return to: then it stays complete. */
function losesSideRows({ metrics, second, rebuilds, hadSideTable }: FormerState): boolean {
  return metrics !== null && (!hadSideTable || rebuilds || second !== null);
}

/** Columns that `up` gives to the quarantine, and those that remained after an earlier downgrade. */
function columnsForRows({ records }: FormerState): string[] {
  const left = records[0]?.former.objects.find(({ name }) => name.toLowerCase() === QUARANTINE_TABLE);
  const tables = records.flatMap(({ former: { metrics, second } }) => [metrics, second]);
  return [
    ...columnsByText([], left),
    ...tables.flatMap((table) => {
      if (table === null) return [];
      const { source, reason, metadata, row } = quarantineColumns(table);
      return [source, reason, metadata, ...row];
    }),
    ...PATTERN_TABLES.flatMap((name) => {
      const entry = records[0]?.former.objects.find(
        (object) => object.type === "table" && object.name.toLowerCase() === name,
      );
      const columns = columnsByText([], entry);
      const { source, reason, row } = patternQuarantineColumns(columns);
      return entry === undefined ? [] : [source, reason, row, ...columns];
    }),
  ];
}
