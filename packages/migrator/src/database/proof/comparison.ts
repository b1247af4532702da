import { lacksCollation } from "@perdura/internals/sqlite/collations.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InPieces } from "../../core/progress.ts";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { useSmallCache } from "../../io/small_cache.ts";
import { idRanges, integerKey, isRowId } from "../sql/row_id.ts";
import { anyOf, sameValue } from "../sql/sql_text.ts";

/** Attaches a copy to the connection, under the name that all proofs use. */
export function attachBackup(database: Database, path: string): void {
  database.prepare("ATTACH ? AS backup").run(path);
  useSmallCache(database, "backup");
}

/** The database, the copy that it is compared with, and an earlier copy: the two are attached. */
export type Schema = "main" | "backup" | "original";

/**
 * SQL for the value of a column that is compared in another form than the stored one; undefined for other columns.
 *
 * @param value SQL for the stored value.
 */
export type Compared = (column: string, value: string) => string | undefined;

/** One side of a comparison: a table of the database or of an attached copy. */
interface Side {
  schema: Schema;
  table: string;
  columns: readonly string[];
  compared?: Compared | undefined;
}

/** Two tables to compare, and the relation of their rows. */
export interface Comparison {
  left: Side;
  right: Side;
  /** Columns of the left and the right side that identify a row and are never NULL; the left one in its compared form. */
  keys: readonly (readonly [string, string])[];
  /** Difference between the keys of the left and the right side, for numbers. */
  keyOffset?: number | undefined;
  /** Rows of the left side to compare; SQL over the alias `l`. */
  where?: string | undefined;
}

/** Number of rows that were compared, and of those without an equal row. */
export interface Counted {
  rows: number;
  unequal: number;
}

/** With more columns SQLite must not merge the two queries: it supports at most 2000 columns in aggregates. */
const FLATTENED = 500;

/**
 * Counts the rows of the left side, and those without an equal row on the right side. Equal means the same value in the
 * same storage class in every column: without collation, affinity or conversion. SQL does the comparison; a row that
 * passed through JavaScript could already be different.
 */
export function countUnequal(database: Database, comparison: Comparison): Counted {
  const { left, right, keys, keyOffset = 0, where } = comparison;
  const keyed = new Set(keys.map(([one]) => one.toLowerCase()));
  const ofLeft = (column: string): string =>
    keyOffset !== 0 && keyed.has(column.toLowerCase())
      ? `(l.${sqlName(column)} - ${keyOffset})`
      : `l.${sqlName(column)}`;
  const on = keys.map(([one, other]) => `r.${sqlName(other)} = ${comparedValue(left, one, ofLeft(one))}`);
  const proved = haveEqualRowIds(database, comparison) ? keyed : new Set();
  const different = left.columns.flatMap((column, index) => {
    if (proved.has(column.toLowerCase())) return [];
    const rightColumn = right.columns[index] as string;
    const [one, other] = [
      comparedValue(left, column, ofLeft(column)),
      comparedValue(right, rightColumn, `r.${sqlName(rightColumn)}`),
    ];
    return [`NOT ${sameValue(one, other)}`];
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

/** True if rows with the same key have the same row id, so that the keys need no comparison of their own. */
function haveEqualRowIds(database: Database, { left, right, keys, keyOffset = 0 }: Comparison): boolean {
  const [[one, other] = ["", ""]] = keys;
  const isRowIdOf = ({ schema, table }: Side, column: string): boolean =>
    integerKey(database, table, schema)?.toLowerCase() === column.toLowerCase();
  return keys.length === 1 && keyOffset === 0 && isRowIdOf(left, one) && isRowIdOf(right, other);
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
export function* countUnequalInPieces(database: Database, comparison: Comparison, id: string): InPieces<Counted> {
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

/** Does the same in ranges of the key of the left side, if that is its row id: no other id divides a table into ranges. */
export function* countUnequalByIds(database: Database, comparison: Comparison): InPieces<Counted> {
  const { left, keys } = comparison;
  const [[id = ""] = []] = keys;
  return isRowId(database, left.table, left.schema)
    ? yield* countUnequalInPieces(database, comparison, id)
    : countUnequal(database, comparison);
}
