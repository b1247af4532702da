import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import type { MetricsTable } from "../layouts/layout.ts";
import { originalValue } from "../record/converted_values.ts";
import { formerId, isMerged, type MergedRange } from "../record/merged_rows.ts";
import { convertedValue } from "@perdura/internals/validity/column_values.js";
import { sameValue } from "../sql/sql_text.ts";
import type { FormerState } from "./former_state.ts";

/** A table of the old layout, and the migration that gave its columns the specified types. */
export interface TypedTable {
  table: MetricsTable;
  number: number;
  /** SQL for the id of a row in the old layout. */
  id: string;
}

/**
 * SQL for the value of a column in the old layout, where it had another type; undefined for other columns.
 *
 * @param schema The database with the record of converted values.
 * @param value SQL for the value of version 16.
 */
export function valueBefore(
  database: Database,
  { table, number, id }: TypedTable,
  schema: "main" | "backup",
  column: string,
  value: string,
): string | undefined {
  const type = table.otherTypes.find((other) => other.column === column);
  return type && originalValue(database, { table: table.name, type, number }, schema, id, value);
}

/** The number of the migration that found the state to restore. */
export function numberOf({ records, index }: FormerState): number {
  return records[index]?.number ?? 0;
}

/** Maximum number of ids that are named. */
const NAMED = 5;

/**
 * @throws Stop that names values of version 16 that a column of the former type would change: '007' becomes 7 in a
 *   column of numbers.
 */
export function assertValuesFit(database: Database, state: FormerState, range: MergedRange | null): void {
  for (const table of [state.metrics, state.second]) {
    if (table === null) continue;
    const merged = isMerged(range, "e.id");
    const [id, mine] = table === state.second ? [formerId(range, "e.id"), merged] : ["e.id", `NOT (${merged})`];
    for (const { column, declared, kind } of table.otherTypes) {
      const name = column === table.level ? "level" : column;
      const value = `e.${sqlName(name)}`;
      const before = valueBefore(database, { table, number: numberOf(state), id }, "main", column, value) as string;
      const from = `FROM main.interactions AS e WHERE ${mine} AND NOT ${sameValue(`(${convertedValue(kind, `(${before})`)})`, value)}`;
      const rows = database.prepare(`SELECT count(*) ${from}`).pluck().get() as number;
      if (rows === 0) continue;
      const ids = database.prepare(`SELECT CAST(e.id AS TEXT) ${from} ORDER BY e.id LIMIT ${NAMED}`).pluck().all();
      throw new Stop(
        "refused",
        `The column ${column} of the pre-16 table ${table.name} is declared ${declared === "" ? "without a type" : declared}, which would change the ${name} of ${rowsText(rows)} (${agreeing(rows, "id", "ids")} ${ids.join(", ")}${rows > ids.length ? ", …" : ""}). Change or move ${agreeing(rows, "this row", "these rows")} first, or stay with version 16.`,
      );
    }
  }
}
