import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { anyOf, sqlName } from "../sql/sql_text.ts";
import { idRanges } from "../sql/row_id.ts";
import type { InPieces } from "../../core/progress.ts";

/** The database, the copy that it is compared with, and an earlier copy: the two are attached. */
type Schema = "main" | "backup" | "original";

/** One side of a comparison: a table of the database or of an attached copy. */
interface Side {
  schema: Schema;
  table: string;
  columns: readonly string[];
}

/** How the rows of two tables find each other. */
export interface Comparison {
  left: Side;
  right: Side;
  /** Columns that identify a row and are never NULL, of the left side and of the right side. */
  keys: readonly (readonly [string, string])[];
  /** What was added to the key of the right side, where it is a number. */
  keyOffset?: number | undefined;
  /** Rows of the left side to look at; SQL over the alias `l`. */
  where?: string | undefined;
}

/** With more columns the two queries must not be made one: SQLite takes no more than 2000 columns in aggregates. */
const FLATTENED = 500;

/**
 * Counts the rows of the left side, and those of them that have no equal on the right side. Equal means the same value
 * in the same storage class in every column: no collation, no affinity and no conversion stands between. SQL does all of
 * it; a row that passed through JavaScript would already be another one.
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
    const [one, other] = [ofLeft(column), `r.${sqlName(right.columns[index] as string)}`];
    return `(+${one}) IS NOT (+${other}) COLLATE BINARY OR typeof(${one}) <> typeof(${other})`;
  });
  const missing = `r.${sqlName(keys[0]?.[1] as string)} IS NULL`;
  const [rows, unequal] = database
    .prepare(
      `SELECT count(*), count(unequal) FROM (SELECT CASE WHEN ${anyOf([missing, ...different])} THEN 1 END AS unequal ` +
        `FROM ${left.schema}.${sqlName(left.table)} AS l LEFT JOIN ${right.schema}.${sqlName(right.table)} AS r ON ${on.join(" AND ")} ` +
        `WHERE ${where ?? "true"}${left.columns.length > FLATTENED ? " LIMIT -1" : ""})`,
    )
    .raw()
    .get() as [number, number];
  return { rows, unequal };
}

/** Counts the rows of a table, or those for which SQL over the alias `t` is true. */
export function countAll(
  database: Database,
  schema: Side["schema"],
  table: string,
  where: string | null = null,
): number {
  return database
    .prepare(`SELECT count(*) FROM ${schema}.${sqlName(table)}${where === null ? "" : ` AS t WHERE ${where}`}`)
    .pluck()
    .get() as number;
}

/**
 * Does what {@link countUnequal} does, one range of row ids after the other.
 *
 * @param id The row id of the left side, or a column that is one.
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
