import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import { keptColumns, valueIn16 } from "../layouts/metrics_table.ts";
import { formerId, isMerged, type MergedRange } from "../record/merged_rows.ts";
import { type ChangedTable, valueBefore } from "../record/row_before.ts";
import { sameValue } from "../sql/sql_text.ts";
import type { FormerState } from "./former_state.ts";

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
    const changed: ChangedTable = { table, number: numberOf(state), schema: "main", id };
    for (const column of keptColumns(table)) {
      if (column.type === undefined) continue;
      const { declared } = column.type;
      const value = `e.${sqlName(column.to)}`;
      const before = valueBefore(database, changed, column, value);
      const from = `FROM main.interactions AS e WHERE ${mine} AND NOT ${sameValue(`(${valueIn16(column, `(${before})`)})`, value)}`;
      const rows = database.prepare(`SELECT count(*) ${from}`).pluck().get() as number;
      if (rows === 0) continue;
      const ids = database.prepare(`SELECT CAST(e.id AS TEXT) ${from} ORDER BY e.id LIMIT ${NAMED}`).pluck().all();
      throw new Stop(
        "refused",
        `The column ${column.name} of the pre-16 table ${table.name} is declared ${declared === "" ? "without a type" : declared}, which would change the ${column.to} of ${rowsText(rows)} (${agreeing(rows, "id", "ids")} ${ids.join(", ")}${rows > ids.length ? ", …" : ""}). Change or move ${agreeing(rows, "this row", "these rows")} first, or stay with version 16.`,
      );
    }
  }
}
