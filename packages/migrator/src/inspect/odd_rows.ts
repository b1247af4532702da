import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsTable } from "../databases/metrics_table.ts";
import { sqlName } from "../databases/sql_text.ts";
import type { OddRows } from "../report/report.ts";
import { type OddCheck, oddChecks } from "./odd_checks.ts";

/** How many values and row ids the report shows of each kind. */
const EXAMPLES = 5;

/** Counts the rows of a metrics table and those that are odd, in one pass; nothing of a row that is in order is read out. */
export function countRows(database: Database, table: MetricsTable): { rows: number; odd: OddRows[] } {
  const checks = oddChecks(table);
  const counts = checks.map(({ condition }) => `count(CASE WHEN ${condition} THEN 1 END)`);
  const [rows = 0, ...odd] = database
    .prepare(`SELECT count(*), ${counts.join(", ")} FROM main.${sqlName(table.name)}`)
    .raw()
    .get() as number[];
  const found = checks.flatMap((check, index) =>
    (odd[index] ?? 0) > 0 ? [describeOdd(database, table, check, odd[index] as number)] : [],
  );
  return { rows, odd: found };
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
