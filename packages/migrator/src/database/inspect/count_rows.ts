import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InPieces } from "../../core/progress.ts";
import type { UnusualRows } from "../../core/report.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { idRanges, isRowId } from "../sql/row_id.ts";
import { anyOf } from "../sql/sql_text.ts";
import {
  blockingCondition,
  type RowProblem,
  interactionProblems,
} from "@perdura/internals/validity/interaction_problems.js";
import { isNotUtf8 } from "@perdura/internals/validity/utf8_text.js";

/** Maximum number of values and row ids of each kind in the report. */
const EXAMPLES = 5;

/** Numbers of rows of a metrics table. */
export interface RowCount {
  rows: number;
  unusual: UnusualRows[];
  /**
   * Number of invalid rows, which version 16 cannot hold; a row can have two faults, so this is not the sum of the
   * kinds.
   */
  blocked: number;
}

/** Counts the rows of a metrics table, and those with unusual or invalid values; reads no values of other rows. */
export function* countRows(database: Database, table: MetricsTable): InPieces<RowCount> {
  const from = `main.${sqlName(table.name)}`;
  const checks = interactionProblems(table);
  const conditions = [...checks.map(({ condition }) => condition), blockingCondition(table)];
  const counts = conditions.map((condition) => `count(CASE WHEN ${condition} THEN 1 END)`);
  const rows = database.prepare(`SELECT count(*) FROM ${from} NOT INDEXED`).pluck().get() as number;
  const select = `SELECT ${counts.join(", ")} FROM ${from} WHERE (${anyCheckCondition(database, table, rows)})`;
  const pieces = piecesOf(database, table, rows);
  let found = conditions.map(() => 0);
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) yield { done: Math.floor((rows * index) / pieces.length), total: rows };
    const counted = database.prepare(`${select} AND ${piece}`).raw().get() as number[];
    found = found.map((number, at) => number + (counted[at] as number));
  }
  const unusual = checks.flatMap((check, index) =>
    found[index] === 0 ? [] : [describeRows(database, table, check, found[index] as number)],
  );
  return { rows, unusual, blocked: found.at(-1) as number };
}

/** An id that is not the row id can be NULL or duplicate: such a table is examined in one piece. */
function piecesOf(database: Database, { name }: MetricsTable, rows: number): string[] {
  if (!isRowId(database, name)) return ["true"];
  return idRanges(database, `main.${sqlName(name)}`, "id", rows).map(
    ({ first, last }) => `id BETWEEN ${first} AND ${last}`,
  );
}

/** Long blobs and texts are truncated. */
function describeRows(database: Database, table: MetricsTable, check: RowProblem, rows: number): UnusualRows {
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
      .all() as UnusualRows["values"],
    row_ids: database
      // With a key of several columns, an id can be NULL.
      .prepare(`SELECT ifnull(CAST(id AS TEXT), 'NULL') ${from} ORDER BY id LIMIT ${EXAMPLES}`)
      .pluck()
      .all() as string[],
  };
}

/**
 * SQL that is true for every row that one of the `interactionProblems` finds, and for hardly any other. It is evaluated for every
 * row, so it is optimised: few operations per row, and none for facts that an index proves quickly. Conditions that
 * stop the migration read the row itself, never an index.
 *
 * @param rows Number of rows of the table.
 */
export function anyCheckCondition(database: Database, table: MetricsTable, rows: number): string {
  const { level, metadata } = table.names;
  const user = sqlName(table.names.user_id);
  // The short conditions are about stored values, not about converted ones.
  if (table.otherTypes.length > 0) return anyOf(interactionProblems(table).map(({ condition }) => condition));
  return [
    ...(level === null ? [] : notOneOf(database, table, level, [1, 2, 3, 4, 5])),
    ...notOneOf(database, table, table.names.success, [0, 1]),
    // The plus compares the stored value, without the affinity of the column.
    `+${sqlName(table.names.response_time_ms)} NOT BETWEEN 0 AND 1.7976931348623157e308`,
    `typeof(${user}) <> 'text'`,
    ...(hasOnlyUtf8(database, table, rows) ? [] : [isNotUtf8(user), `instr(${user}, char(0)) > 0`]),
    ...(metadata === null ? [] : [`${sqlName(metadata)} < ''`]),
    ...indexedChecks(table)
      .filter((sought) => !isRuledOut(database, table, sought))
      .map(({ condition }) => condition),
  ].join(" OR ");
}

/** Conditions that are false for a row with one of a few integers in a column. */
function notOneOf(database: Database, { name }: MetricsTable, column: string, integers: readonly number[]): string[] {
  const type = database
    .prepare("SELECT type FROM pragma_table_xinfo(?, 'main') WHERE lower(name) = lower(?)")
    .pluck()
    .get(name, column) as string;
  const is = integers.map((integer) => `${sqlName(column)} IS ${integer}`);
  const other = [`NOT (${is.join(" OR ")})`];
  // A column of these types cannot hold 1.0, which equals 1.
  return /^(?:BOOL(?:EAN)?|INT(?:EGER)?)$/i.test(type) ? other : [...other, `typeof(${sqlName(column)}) <> 'integer'`];
}

/** Unusual values that are adjacent in an index of their column. They are only counted; none of them blocks. */
interface IndexedCheck {
  column: string;
  condition: string;
  ranges: readonly string[];
}

function indexedChecks({ names }: MetricsTable): IndexedCheck[] {
  const [user, timestamp] = [sqlName(names.user_id), sqlName(names.timestamp)];
  return [
    { column: names.user_id, condition: `${user} = ''`, ranges: [`${user} = ''`] },
    {
      column: names.timestamp,
      condition: `typeof(${timestamp}) <> 'text'`,
      ranges: [`${timestamp} IS NULL`, `${timestamp} < ''`, `${timestamp} >= x''`],
    },
  ];
}

/** True if an index proves that there is no such value. */
function isRuledOut(database: Database, { name }: MetricsTable, { column, ranges }: IndexedCheck): boolean {
  const index = database
    .prepare(
      "SELECT 1 FROM pragma_index_list(?, 'main') AS i, pragma_index_xinfo(i.name, 'main') AS c WHERE c.seqno = 0 AND c.name = ? COLLATE NOCASE",
    )
    .get(name, column);
  if (index === undefined) return false;
  const any = ranges.map((range) => `EXISTS (SELECT 1 FROM main.${sqlName(name)} WHERE ${range})`);
  return (
    database
      .prepare(`SELECT ${any.join(" OR ")}`)
      .pluck()
      .get() === 0
  );
}

/** Rows per user below which seeking each user in an index is slower than reading the whole index. */
const ROWS_OF_A_USER = 100;

/** True if an index proves that all user ids are UTF-8 without a NUL character: each user is checked once. */
function hasOnlyUtf8(database: Database, { name, names }: MetricsTable, rows: number): boolean {
  const index = database
    .prepare(
      `SELECT i.name FROM pragma_index_list(?, 'main') AS i, pragma_index_xinfo(i.name, 'main') AS c
       WHERE i.partial = 0 AND c.seqno = 0 AND c.name = ? COLLATE NOCASE AND c.coll = 'BINARY' AND c.desc = 0`,
    )
    .pluck()
    .get(name, names.user_id) as string | undefined;
  if (index === undefined) return false;
  const user = sqlName(names.user_id);
  const from = `FROM main.${sqlName(name)} INDEXED BY ${sqlName(index)}`;
  const users = `SELECT min(${user}) ${from} UNION ALL SELECT (SELECT min(${user}) ${from} WHERE ${user} > users.known) FROM users WHERE users.known IS NOT NULL`;
  const isUnusual = `(instr(known, char(0)) > 0 OR ${isNotUtf8("known")})`;
  const most = Math.ceil(rows / ROWS_OF_A_USER);
  const [seen, unusual] = database
    .prepare(`WITH users(known) AS (${users} LIMIT ${most + 2}) SELECT count(*), total(${isUnusual}) FROM users`)
    .raw()
    .get() as [number, number];
  // The last one is the NULL that ends the search.
  if (seen <= most + 1) return unusual === 0;
  const found = `SELECT 1 FROM (SELECT DISTINCT ${user} AS known ${from}) WHERE ${isUnusual}`;
  return database.prepare(`${found} LIMIT 1`).get() === undefined;
}
