import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsTable } from "../databases/metrics_table.ts";
import { sqlName } from "../databases/sql_text.ts";

/**
 * SQL that is true for every row in which one of the `oddChecks` finds something, and for next to no other. It is asked of
 * every row, so it is made for speed: few operations a row, and none for what an index tells in an instant. What decides
 * whether a row stops the migration is read from the row itself, never from an index.
 *
 * @param rows How many rows the table has.
 */
export function oddAtAll(database: Database, table: MetricsTable, rows: number): string {
  const { level, metadata } = table;
  return [
    ...(level === null ? [] : notOneOf(database, table, level, [1, 2, 3, 4, 5])),
    ...notOneOf(database, table, "success", [0, 1]),
    // The plus: as it is stored, whatever the declared type of the column would make of the two numbers.
    "+response_time_ms NOT BETWEEN 0 AND 1.7976931348623157e308",
    "typeof(user_id) <> 'text'",
    ...(isFreeOfNul(database, table, rows) ? [] : ["instr(user_id, char(0)) > 0"]),
    ...(metadata === null ? [] : [`${sqlName(metadata)} < ''`]),
    ...SOUGHT.filter((sought) => !isRuledOut(database, table, sought)).map(({ condition }) => condition),
  ].join(" OR ");
}

/** What no row has that holds one of a few integers in a column. */
function notOneOf(database: Database, { name }: MetricsTable, column: string, integers: readonly number[]): string[] {
  const type = database
    .prepare("SELECT type FROM pragma_table_xinfo(?, 'main') WHERE lower(name) = lower(?)")
    .pluck()
    .get(name, column) as string;
  const is = integers.map((integer) => `${sqlName(column)} IS ${integer}`);
  const other = [`NOT (${is.join(" OR ")})`];
  // A column of these types holds no 1.0, which is 1 otherwise.
  return /^(?:BOOL(?:EAN)?|INT(?:EGER)?)$/i.test(type) ? other : [...other, `typeof(${sqlName(column)}) <> 'integer'`];
}

/** Odd values that stand together in an index of their column. They are only counted; none of them stops anything. */
interface Sought {
  column: string;
  condition: string;
  ranges: readonly string[];
}

const SOUGHT: readonly Sought[] = [
  { column: "user_id", condition: "user_id = ''", ranges: ["user_id = ''"] },
  {
    column: "timestamp",
    condition: "typeof(timestamp) <> 'text'",
    ranges: ["timestamp IS NULL", "timestamp < ''", "timestamp >= x''"],
  },
];

/** True when an index says that there is no such value. */
function isRuledOut(database: Database, { name }: MetricsTable, { column, ranges }: Sought): boolean {
  const index = database
    .prepare(
      "SELECT 1 FROM pragma_index_list(?, 'main') AS i, pragma_index_xinfo(i.name, 'main') AS c WHERE c.seqno = 0 AND lower(c.name) = ?",
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

/** From one user in so many rows on, going through the users costs more than looking into every row. */
const ROWS_OF_A_USER = 100;

/** True when an index says that no user has a NUL character in the id; there are far fewer users than rows. */
function isFreeOfNul(database: Database, { name }: MetricsTable, rows: number): boolean {
  const index = database
    .prepare(
      `SELECT i.name FROM pragma_index_list(?, 'main') AS i, pragma_index_xinfo(i.name, 'main') AS c
       WHERE i.partial = 0 AND c.seqno = 0 AND lower(c.name) = 'user_id' AND c.coll = 'BINARY' AND c.desc = 0`,
    )
    .pluck()
    .get(name) as string | undefined;
  if (index === undefined) return false;
  const from = `FROM main.${sqlName(name)} INDEXED BY ${sqlName(index)}`;
  const users = `SELECT min(user_id) ${from} UNION ALL SELECT (SELECT min(user_id) ${from} WHERE user_id > users.known) FROM users WHERE users.known IS NOT NULL`;
  const most = Math.ceil(rows / ROWS_OF_A_USER);
  const [seen, odd] = database
    .prepare(
      `WITH users(known) AS (${users} LIMIT ${most + 2}) SELECT count(*), total(instr(known, char(0)) > 0) FROM users`,
    )
    .raw()
    .get() as [number, number];
  // The last of them is the NULL that ends the search.
  return seen <= most + 1 && odd === 0;
}
