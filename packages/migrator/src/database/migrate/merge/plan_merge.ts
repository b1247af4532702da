import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { affinityOf } from "@perdura/internals/validity/column_types.js";
import { Stop } from "../../../core/stop.ts";
import { blockingCondition } from "@perdura/internals/validity/interaction_problems.js";
import { type Catalog, countsIds } from "../../sql/catalog.ts";
import { keptColumns, type MetricsTable } from "../../layouts/metrics_table.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE } from "../../record/quarantine.ts";
import { assertNameIsOurs, MERGED_ROWS } from "../../record/side_tables.ts";
import { assertFreeNames, assertIdIsRowId, assertNoVirtualTables, assertSideTable } from "../obstacles.ts";
import { assertRowsCanBeAdded } from "./addable_rows.ts";

/** Plan to merge the rows of a second metrics table into `interactions`, whose rows keep their ids. */
export interface MergePlan {
  second: MetricsTable;
  rows: number;
  /** Difference between the new and the old id of a row. */
  idOffset: number;
  /** Range of the new ids; null if no row is merged. */
  first: number | null;
  last: number | null;
  /** True if they follow the other rows, because none of those is newer. */
  newer: boolean;
}

/**
 * Determines the new ids of the rows of the second table. The newest interaction of a user is the one with the highest
 * id, so newer rows get higher ids than the others, and older ones lower ids. Free ids are kept.
 *
 * @param leaves True if rows that version 16 cannot hold are quarantined first.
 * @throws Stop if the ids would exceed the range that a program of version 16 can read.
 */
export function planMerge(database: Database, first: MetricsTable, second: MetricsTable, leaves: boolean): MergePlan {
  const from = `main.${sqlName(second.name)}`;
  const all = database.prepare(`SELECT min(id) AS low, max(id) AS high FROM ${from}`).safeIntegers().get() as {
    low: bigint | null;
    high: bigint | null;
  };
  const moving = database
    .prepare(
      `SELECT min(id) AS low, max(id) AS high, count(*) AS rows FROM ${from}${leaves ? ` WHERE NOT (${blockingCondition(second)})` : ""}`,
    )
    .safeIntegers()
    .get() as { low: bigint | null; high: bigint | null; rows: bigint };
  const newer = areNewer(database, first, second);
  const used = usedIds(database, first);
  const offset =
    all.low === null || all.high === null ? 0n : newer ? up(used.high + 1n - all.low) : down(used.low - 1n - all.high);
  for (const id of [all.low, all.high]) {
    if (id === null) continue;
    exactId(id, second.name);
    exactId(id + offset, second.name);
  }
  const moved = (id: bigint | null): number | null => (id === null ? null : exactId(id + offset, second.name));
  return {
    second,
    rows: Number(moving.rows),
    idOffset: exactId(offset, second.name),
    first: moved(moving.low),
    last: moved(moving.high),
    newer,
  };
}

const up = (offset: bigint): bigint => (offset > 0n ? offset : 0n);
const down = (offset: bigint): bigint => (offset < 0n ? offset : 0n);

/** The lowest and the highest id that a row of `interactions` has, had, or could get back. */
function usedIds(database: Database, { name, sideTable }: MetricsTable): { low: bigint; high: bigint } {
  const quarantined = columnsOfQuarantine(database, "main")?.some((column) => column.toLowerCase() === "id") === true;
  const ids = [
    `SELECT min(id) AS low, max(id) AS high FROM main.${sqlName(name)}`,
    ...(sideTable ? ["SELECT min(interaction_id), max(interaction_id) FROM main.interaction_metadata"] : []),
    ...(quarantined ? [`SELECT min(id), max(id) FROM main.${QUARANTINE_TABLE} WHERE typeof(id) = 'integer'`] : []),
    ...(countsIds(database, "main")
      ? [
          "SELECT NULL, CAST(seq AS INTEGER) FROM main.sqlite_sequence WHERE name = 'interactions' COLLATE NOCASE AND typeof(seq) = 'integer'",
        ]
      : []),
  ];
  const used = database
    .prepare(`SELECT ifnull(min(low), 1) AS low, ifnull(max(high), 0) AS high FROM (${ids.join(" UNION ALL ")})`)
    .safeIntegers()
    .get();
  return used as { low: bigint; high: bigint };
}

/**
 * Timestamps are text that sorts by time; programs wrote them with a blank or a T. Without timestamps, the pre-16
 * program is assumed to have written last.
 */
function areNewer(database: Database, first: MetricsTable, second: MetricsTable): boolean {
  const newest = ({ name, names }: MetricsTable): string | undefined =>
    (
      database
        .prepare(
          `SELECT ${sqlName(names.timestamp)} FROM main.${sqlName(name)} WHERE typeof(${sqlName(names.timestamp)}) = 'text' ORDER BY 1 DESC LIMIT 1`,
        )
        .pluck()
        .get() as string | undefined
    )?.replace("T", " ");
  const [one, other] = [newest(first), newest(second)];
  return one === undefined || other === undefined || other >= one;
}

function exactId(id: bigint, table: string): number {
  if (Number.isSafeInteger(Number(id))) return Number(id);
  throw new Stop(
    "refused",
    `Cannot merge the table ${table}: its rows have or would get ids beyond 2^53 (${String(id)}), which programs of version 16 cannot read. Change the ids of one of the two tables first.`,
  );
}

/** @throws Stop for everything that prevents merging the rows of a second table into the first. */
export function assertCanMerge(database: Database, catalog: Catalog, first: MetricsTable, second: MetricsTable): void {
  for (const table of [first, second]) assertIdIsRowId(database, catalog, table);
  assertSideTable(database, first);
  if (!first.sideTable) assertFreeNames(catalog, ["interaction_metadata"]);
  for (const table of [second, first]) assertNoVirtualTables(catalog, table);
  assertNameIsOurs(database, MERGED_ROWS);
  assertColumnsFit(database, first, second);
  assertNoReference(database, second);
  assertRowsCanBeAdded(database, catalog, first, second);
}

/** A column of another type would convert a value, or lose it. */
function assertColumnsFit(database: Database, first: MetricsTable, second: MetricsTable): void {
  const kinds = affinitiesOf(database, first);
  const others = affinitiesOf(database, second);
  const own = new Map(keptColumns(first).map(({ name, to }) => [to.toLowerCase(), name]));
  for (const { name, to } of keptColumns(second)) {
    const [column, kind] = [name.toLowerCase(), others.get(name.toLowerCase())];
    const target = own.get(to.toLowerCase()) ?? to;
    const found = kinds.get(target.toLowerCase());
    if (found === undefined)
      throw new Stop(
        "refused",
        `Cannot add the rows of ${second.name} to ${first.name}, which has no column ${column}: its values would be lost. Add the column to ${first.name}, or drop it from ${second.name}.`,
      );
    if (found !== kind && found !== "BLOB")
      throw new Stop(
        "refused",
        `Cannot add the rows of ${second.name} to ${first.name}: the column ${column} has the affinity ${kind}, but ${target} of ${first.name} has ${found}, so values would be converted. Give both columns the same type first.`,
      );
  }
}

/** The affinity that each column has when rows are merged, keyed by the lower-case name. */
function affinitiesOf(database: Database, { name, otherTypes }: MetricsTable): Map<string, string> {
  const rows = database.prepare("SELECT lower(name), type FROM pragma_table_info(?, 'main')").raw().all(name);
  return new Map(
    (rows as [string, string][]).map(([column, type]) => {
      const other = otherTypes.find((one) => one.column.toLowerCase() === column);
      const affinity = affinityOf(other?.specified ?? type);
      // These two store the same values.
      return [column, affinity === "INTEGER" ? "NUMERIC" : affinity];
    }),
  );
}

/** The ids of the second table change, and the table is dropped: references to it would mean other rows. */
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
      `The table ${String(table)} refers to rows of ${name} (FOREIGN KEY), which get new ids in interactions. Change or drop the foreign key first.`,
    );
}
