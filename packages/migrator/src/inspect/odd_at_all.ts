import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsTable } from "../databases/metrics_table.ts";
import { sqlName } from "../databases/sql_text.ts";

/**
 * SQL that is true for every row in which one of the `oddChecks` finds something, and for next to no other. It is asked of
 * every row, so it is made for speed: few operations a row, and none for what an index tells in an instant. What decides
 * whether a row stops the migration is read from the row itself, never from an index.
 */
export function oddAtAll(database: Database, table: MetricsTable): string {
  const { level, metadata } = table;
  return [
    ...(level === null ? [] : [`${sqlName(level)} NOT BETWEEN 1 AND 5`, `typeof(${sqlName(level)}) <> 'integer'`]),
    "NOT (success IS 0 OR success IS 1)",
    // A column of these types holds no 1.0, which is 1 otherwise.
    ...(/^(?:BOOL(?:EAN)?|INT(?:EGER)?)$/i.test(typeOf(database, table, "success"))
      ? []
      : ["typeof(success) <> 'integer'"]),
    // The plus: as it is stored, whatever the declared type of the column would make of the two numbers.
    "+response_time_ms NOT BETWEEN 0 AND 1.7976931348623157e308",
    "typeof(user_id) <> 'text'",
    "instr(user_id, char(0)) > 0",
    ...(metadata === null ? [] : [`${sqlName(metadata)} < ''`]),
    ...SOUGHT.filter((sought) => !isRuledOut(database, table, sought)).map(({ condition }) => condition),
  ].join(" OR ");
}

function typeOf(database: Database, { name }: MetricsTable, column: string): string {
  return database
    .prepare("SELECT type FROM pragma_table_xinfo(?, 'main') WHERE lower(name) = ?")
    .pluck()
    .get(name, column) as string;
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
