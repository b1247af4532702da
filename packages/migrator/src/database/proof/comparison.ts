import { lacksCollation } from "@perdura/internals/sqlite/collations.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { InPieces } from "../../core/progress.ts";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { useSmallCache } from "../../io/small_cache.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { nextNumber } from "../record/migration_record.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE, quarantineColumns } from "../record/quarantine.ts";
import { mergedRange } from "../record/merged_rows.ts";
import { idRanges, rowIdName } from "../sql/row_id.ts";
import { anyOf } from "../sql/sql_text.ts";

/** Subject of a proof: a connection to the migrated database (`main`) with the original's copy attached (`backup`). */
export interface Subject {
  database: Database;
  /** The metrics table of the backup, or null. */
  before: MetricsTable | null;
  /** A second metrics table of the backup, whose rows were merged into the first, or null. */
  second: MetricsTable | null;
  /** Indexes of the old layout that were dropped intentionally. */
  dropped: readonly string[];
  /** Lower-case names of tables that the user's triggers wrote in the migration. */
  written: ReadonlySet<string>;
  /** True some time after the migration: programs of 16 may have recorded rows and changed patterns since. */
  later: boolean;
}

/** Attaches a copy to the connection, under the name that all proofs use. */
export function attachBackup(database: Database, path: string): void {
  database.prepare("ATTACH ? AS backup").run(path);
  useSmallCache(database, "backup");
}

/** A metrics table of the backup, and the rows of `interactions` that it had. */
export interface Source {
  table: MetricsTable;
  /** Difference between new and old ids. */
  idOffset: number;
  /** True for the table whose rows were merged into the first. */
  isMerged: boolean;
  /**
   * SQL that is true for an id of `interactions` that belongs to this table, and not to a row that was recorded since.
   *
   * @param oldIds The table and the column of the backup with the original ids.
   */
  owns: (id: string, oldIds: { table: string; id: string }) => string;
}

/**
 * The metrics tables of the backup. The rows of a second one have their own range of ids, which the database records.
 */
export function sourcesOf({ database, before, second, later }: Subject): Source[] {
  if (before === null) return [];
  const merged = second === null ? null : mergedRange(database, nextNumber(database, "backup"));
  const range = (id: string): string =>
    merged === null ? "false" : `${id} BETWEEN ${merged.first + merged.idOffset} AND ${merged.last + merged.idOffset}`;
  const first: Source = {
    table: before,
    idOffset: 0,
    isMerged: false,
    owns: (id, old) =>
      [
        ...(merged === null ? ["true"] : [`NOT (${range(id)})`]),
        ...(later ? [`${id} <= (SELECT ifnull(max(${old.id}), 0) FROM backup.${sqlName(old.table)})`] : []),
      ].join(" AND "),
  };
  if (second === null) return [first];
  return [first, { table: second, idOffset: merged?.idOffset ?? 0, isMerged: true, owns: range }];
}

/**
 * SQL over the alias `l` that is true for the rows that this migration quarantined, not for those of an earlier one.
 * Undefined without a quarantine, or if rows of that table were never in it.
 */
export function quarantinedCondition({ database }: Subject, before: MetricsTable): string | undefined {
  const { source, row } = quarantineColumns(before);
  const columns = columnsOfQuarantine(database, "main");
  const names = new Set(columns?.map((column) => column.toLowerCase()));
  // Without its columns it is a table of the user, or has only rows of other tables from an earlier migration.
  if (columns === undefined || ![source, ...row].every((column) => names.has(column.toLowerCase()))) return undefined;
  const rowId = rowIdName(QUARANTINE_TABLE, columns);
  const earlier =
    columnsOfQuarantine(database, "backup") === undefined
      ? "0"
      : `(SELECT ifnull(max(${rowId}), 0) FROM backup.${QUARANTINE_TABLE})`;
  return `l.${sqlName(source)} = ${sqlText(before.name)} AND l.${rowId} > ${earlier}`;
}

/** The database, the copy that it is compared with, and an earlier copy: the two are attached. */
export type Schema = "main" | "backup" | "original";

/** One side of a comparison: a table of the database or of an attached copy. */
interface Side {
  schema: Schema;
  table: string;
  columns: readonly string[];
  /**
   * SQL for the value of a column that is compared in another form than the stored one; undefined for other columns.
   *
   * @param value SQL for the stored value.
   */
  compared?: ((column: string, value: string) => string | undefined) | undefined;
}

/** Two tables to compare, and the relation of their rows. */
export interface Comparison {
  left: Side;
  right: Side;
  /** Columns of the left and the right side that identify a row and are never NULL. */
  keys: readonly (readonly [string, string])[];
  /** Difference between the keys of the left and the right side, for numbers. */
  keyOffset?: number | undefined;
  /** Rows of the left side to compare; SQL over the alias `l`. */
  where?: string | undefined;
}

/** With more columns SQLite must not merge the two queries: it supports at most 2000 columns in aggregates. */
const FLATTENED = 500;

/**
 * Counts the rows of the left side, and those without an equal row on the right side. Equal means the same value in the
 * same storage class in every column: without collation, affinity or conversion. SQL does the comparison; a row that
 * passed through JavaScript could already be different.
 */
export function countUnequal(
  database: Database,
  { left, right, keys, keyOffset = 0, where }: Comparison,
): { rows: number; unequal: number } {
  const keyed = new Set(keys.map(([one]) => one.toLowerCase()));
  const ofLeft = (column: string): string =>
    keyOffset !== 0 && keyed.has(column.toLowerCase())
      ? `(l.${sqlName(column)} - ${keyOffset})`
      : `l.${sqlName(column)}`;
  const on = keys.map(([one, other]) => `r.${sqlName(other)} = ${ofLeft(one)}`);
  const different = left.columns.map((column, index) => {
    const rightColumn = right.columns[index] as string;
    const [one, other] = [
      comparedValue(left, column, ofLeft(column)),
      comparedValue(right, rightColumn, `r.${sqlName(rightColumn)}`),
    ];
    return `(+${one}) IS NOT (+${other}) COLLATE BINARY OR typeof(${one}) <> typeof(${other})`;
  });
  const missing = `r.${sqlName(keys[0]?.[1] as string)} IS NULL`;
  const [rows, unequal] = withUsableIndexes((hint) =>
    database
      .prepare(
        `SELECT count(*), count(unequal) FROM (SELECT CASE WHEN ${anyOf([missing, ...different])} THEN 1 END AS unequal ` +
          `FROM ${left.schema}.${sqlName(left.table)} AS l${hint} LEFT JOIN ${right.schema}.${sqlName(right.table)} AS r${hint} ON ${on.join(" AND ")} ` +
          `WHERE ${where ?? "true"}${left.columns.length > FLATTENED ? " LIMIT -1" : ""})`,
      )
      .raw()
      .get(),
  ) as [number, number];
  return { rows, unequal };
}

/**
 * Reads a table through any index, or through none if an application defined the collation of an index.
 *
 * @param read Gets the words that follow the name of the table.
 */
function withUsableIndexes<Result>(read: (hint: "" | " NOT INDEXED") => Result): Result {
  try {
    return read("");
  } catch (error) {
    if (!lacksCollation(error)) throw error;
    return read(" NOT INDEXED");
  }
}

function comparedValue({ compared }: Side, column: string, value: string): string {
  const other = compared?.(column, value) ?? value;
  return other === value ? value : `(${other})`;
}

/** `1 row of metrics differs from the original`, `3 rows of metrics differ from the original` */
export function rowsDiffer(rows: number, table: string, other = "the original"): string {
  return `${rowsText(rows)} of ${table} ${agreeing(rows, "differs", "differ")} from ${other}`;
}

/** Counts the rows of a table. */
export function countAll(database: Database, schema: Side["schema"], table: string): number {
  return withUsableIndexes((hint) =>
    database
      .prepare(`SELECT count(*) FROM ${schema}.${sqlName(table)}${hint}`)
      .pluck()
      .get(),
  ) as number;
}

/**
 * Does the same as {@link countUnequal}, in ranges of row ids.
 *
 * @param id The row id of the left side, or an alias column.
 */
export function* countUnequalInPieces(
  database: Database,
  comparison: Comparison,
  id: string,
): InPieces<{ rows: number; unequal: number }> {
  const { left, where } = comparison;
  const total = countAll(database, left.schema, left.table);
  const found = { rows: 0, unequal: 0 };
  const ranges = idRanges(database, `${left.schema}.${sqlName(left.table)}`, sqlName(id), total);
  for (const { first, last } of ranges) {
    if (first !== ranges[0]?.first) yield { done: found.rows, total };
    const range = `l.${sqlName(id)} BETWEEN ${first} AND ${last}`;
    const part = countUnequal(database, {
      ...comparison,
      where: where === undefined ? range : `(${where}) AND ${range}`,
    });
    found.rows += part.rows;
    found.unequal += part.unequal;
  }
  return found;
}
