import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { assertUnitedRowsIsOurs } from "../../record/united_rows.ts";
import type { Catalog } from "../../recognise/catalog.ts";
import { Stop } from "../../core/stop.ts";
import type { MetricsTable } from "../metrics_table.ts";
import { assertFreeNames, assertIdIsRowId, assertNoVirtualTable, assertSideTable } from "../obstacles.ts";
import type { LevelTable } from "../../recognise/level_tables.ts";
import { addedIds, sharedColumns } from "../added_rows.ts";
import { assertRowsCanBeAdded } from "./addable_rows.ts";

/** @throws Stop for whatever stands in the way of rows of a second table joining those of the first. */
export function assertCanUnite(database: Database, catalog: Catalog, first: MetricsTable, second: MetricsTable): void {
  for (const table of [first, second]) assertIdIsRowId(database, table);
  assertSideTable(database, first);
  if (!first.sideTable) assertFreeNames(catalog, ["interaction_metadata"]);
  for (const word of [second.name, ...(first.level === "level" ? [] : [first.level as string])])
    assertNoVirtualTable(catalog, word);
  assertUnitedRowsIsOurs(database);
  assertColumnsFit(database, first, second);
  assertNoReference(database, second);
  assertRowsCanBeAdded(database, catalog, first, second);
}

/** @throws Stop for whatever stands in the way of rows that only another table has being added to a metrics table. */
export function assertCanAdd(database: Database, catalog: Catalog, first: MetricsTable, other: LevelTable): void {
  if (other.metadata !== null && !first.sideTable && first.metadata === null)
    assertFreeNames(catalog, ["interaction_metadata"]);
  assertUnitedRowsIsOurs(database);
  const columns = ["id", other.level, ...sharedColumns(other, first)];
  assertColumnsFit(database, first, { ...other, columns });
  assertRowsCanBeAdded(database, catalog, first, { ...other, columns }, `id IN (${addedIds(other, first.name)})`);
}

/** A value that goes into a column of another kind would become another value, or none. */
function assertColumnsFit(database: Database, first: MetricsTable, second: MetricsTable): void {
  const kinds = kindsOf(database, first);
  const others = kindsOf(database, second);
  const moved = new Set(second.columns.map((column) => column.toLowerCase()));
  for (const [column, kind] of others) {
    if (column === second.metadata?.toLowerCase() || !moved.has(column)) continue;
    // A level that is gone gets a column of whole numbers.
    if (column === second.level?.toLowerCase() && first.level === null) continue;
    const target = column === second.level?.toLowerCase() ? (first.level as string) : column;
    const found = kinds.get(target.toLowerCase());
    if (found === undefined)
      throw new Stop(
        "refused",
        `The table ${second.name} has the column ${column}, which ${first.name} lacks, so that its values would be lost. Add that column to ${first.name}, or take it away from ${second.name}.`,
      );
    if (found !== kind && found !== "BLOB")
      throw new Stop(
        "refused",
        `The column ${column} of the table ${second.name} keeps values as ${kind}, and ${target} of ${first.name} as ${found}, so that they would be changed. Give both the same type first.`,
      );
  }
}

/** The affinity of each column, by SQLite's rules for the declared type; by name in lower case. */
function kindsOf(database: Database, { name }: MetricsTable): Map<string, string> {
  const rows = database.prepare("SELECT lower(name), upper(type) FROM pragma_table_info(?, 'main')").raw().all(name);
  return new Map((rows as [string, string][]).map(([column, type]) => [column, affinityOf(type)]));
}

function affinityOf(type: string): string {
  if (type.includes("INT")) return "NUMERIC";
  if (/CHAR|CLOB|TEXT/.test(type)) return "TEXT";
  if (type === "" || type.includes("BLOB")) return "BLOB";
  return /REAL|FLOA|DOUB/.test(type) ? "REAL" : "NUMERIC";
}

/** The ids of the second table change, and it goes: what refers to them would refer to other rows. */
function assertNoReference(database: Database, { name }: MetricsTable): void {
  const table = database
    .prepare(
      `SELECT s.name FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name, 'main') AS f WHERE s.type = 'table' AND f."table" = ? COLLATE NOCASE`,
    )
    .pluck()
    .get(name);
  if (table !== undefined)
    throw new Stop(
      "refused",
      `The table ${String(table)} refers to rows of ${name} (FOREIGN KEY), which get new ids in interactions. Bring those references over, or drop them first.`,
    );
}
