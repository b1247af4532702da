import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsTable } from "../databases/metrics_table.ts";
import { isRowId } from "../databases/row_id.ts";
import { sqlName } from "../databases/sql_text.ts";
import type { InPieces } from "../core/progress.ts";
import type { OddRows } from "../core/report.ts";
import { idRanges } from "./id_ranges.ts";
import { oddAtAll } from "./odd_at_all.ts";
import { blockingCondition, type OddCheck, oddChecks } from "./odd_checks.ts";

/** How many values and row ids the report shows of each kind. */
const EXAMPLES = 5;

/** The rows of a metrics table. */
export interface RowCount {
  rows: number;
  odd: OddRows[];
  /** Rows that version 16 cannot hold; one can be odd in two ways, so the kinds do not add up. */
  blocked: number;
}

/** Counts the rows of a metrics table and those that are odd; nothing of a row that is in order is read out. */
export function* countRows(database: Database, table: MetricsTable): InPieces<RowCount> {
  const from = `main.${sqlName(table.name)}`;
  const checks = oddChecks(table);
  const conditions = [...checks.map(({ condition }) => condition), blockingCondition(table)];
  const counts = conditions.map((condition) => `count(CASE WHEN ${condition} THEN 1 END)`);
  const rows = database.prepare(`SELECT count(*) FROM ${from} NOT INDEXED`).pluck().get() as number;
  const select = `SELECT ${counts.join(", ")} FROM ${from} WHERE (${oddAtAll(database, table, rows)})`;
  const pieces = piecesOf(database, table, rows);
  let found = conditions.map(() => 0);
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) yield { done: Math.floor((rows * index) / pieces.length), total: rows };
    const counted = database.prepare(`${select} AND ${piece}`).raw().get() as number[];
    found = found.map((number, at) => number + (counted[at] as number));
  }
  const odd = checks.flatMap((check, index) =>
    found[index] === 0 ? [] : [describeOdd(database, table, check, found[index] as number)],
  );
  return { rows, odd, blocked: found.at(-1) as number };
}

/** Ids that are no row ids can be NULL, or twice: such a table is looked at in one piece. */
function piecesOf(database: Database, { name }: MetricsTable, rows: number): string[] {
  if (!isRowId(database, name)) return ["true"];
  return idRanges(database, `main.${sqlName(name)}`, "id", rows).map(
    ({ first, last }) => `id BETWEEN ${first} AND ${last}`,
  );
}

/** A blob and a text that could be long are shown as their beginning. */
function describeOdd(database: Database, table: MetricsTable, check: OddCheck, rows: number): OddRows {
  const from = `FROM main.${sqlName(table.name)} WHERE ${check.condition}`;
  const column = sqlName(check.column);
  const literal = `quote(CASE WHEN typeof(${column}) IN ('text', 'blob') THEN substr(${column}, 1, 40) ELSE ${column} END)`;
  return {
    kind: check.kind,
    description: check.description,
    rows,
    blocks: check.blocks,
    decision: null,
    values: database
      .prepare(`SELECT ${literal} AS literal, count(*) AS rows ${from} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${EXAMPLES}`)
      .all() as OddRows["values"],
    row_ids: database
      // A key of several columns allows an id that is NULL.
      .prepare(`SELECT ifnull(CAST(id AS TEXT), 'NULL') ${from} ORDER BY id LIMIT ${EXAMPLES}`)
      .pluck()
      .all() as string[],
  };
}
