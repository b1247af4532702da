import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { columnsOf, hasTable } from "@perdura/internals/sqlite/catalog.js";
import { affinityOf } from "@perdura/internals/validity/column_types.js";
import { convertedValue } from "@perdura/internals/validity/column_values.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import { differentPatternTables } from "../layouts/pattern_tables.ts";
import { rebuildPatternTable } from "../layouts/rebuild_pattern_table.ts";
import { sameValue } from "../sql/sql_text.ts";
import { affinityOfUsage } from "./assigned_ids.ts";
import { countFrom } from "../sql/count_from.ts";

/**
 * Usage can refer to the number of an id in another form, such as '5.0' to 5 or 5.0 to 5, as long as SQLite compares
 * numbers. As texts they are different, and a downgrade could not restore the form. This does not depend on decisions, so
 * that none is recommended which fails.
 *
 * @throws Stop with the statements that give usage the form of its patterns.
 */
export function assertUsageFollows(database: Database): void {
  if (!hasTable(database, "pattern_usage")) return;
  const type = columnsOf(database, "patterns").find(({ name }) => name.toLowerCase() === "id")?.type ?? "";
  const [id, used] = [idIn16(database, "patterns", "id"), idIn16(database, "pattern_usage", "pattern_id")];
  const staysUntyped = id === "patterns.id" && affinityOf(type) === "BLOB";
  const holdsText = ["TEXT", "BLOB"].includes(affinityOfUsage(database) ?? "BLOB");
  // Then patterns with numbers leave with their usage, because they cannot get other ids.
  if (staysUntyped && !holdsText) return;
  const isSame = staysUntyped
    ? sameValue(id, used)
    : `iif(typeof(${used}) = 'blob', ${sameValue(id, used)}, CAST(${id} AS TEXT) = CAST(${used} AS TEXT))`;
  // As in a foreign key, only the column of the patterns decides how the values are compared.
  const linked = `SELECT 1 FROM main.patterns WHERE patterns.id = +pattern_usage.pattern_id`;
  const rows = countFrom(
    database,
    `main.pattern_usage WHERE EXISTS (${linked}) AND NOT EXISTS (${linked} AND ${isSame})`,
  );
  if (rows === 0) return;
  const theirs = "FROM patterns WHERE patterns.id = +pattern_usage.pattern_id";
  const way = holdsText
    ? `Give the usage the form of its patterns first, in the sqlite3 shell: UPDATE pattern_usage SET pattern_id = (SELECT ${id} ${theirs}) WHERE EXISTS (SELECT 1 ${theirs});`
    : rebuildPatternTable(database, "pattern_usage");
  throw new Stop(
    "refused",
    `${rowsText(rows)} of the table pattern_usage ${agreeing(rows, "has", "have")} the id of a pattern in another form, such as 5.0 for 5, so ${agreeing(rows, "it", "they")} would not belong to the pattern any more. Nothing was changed. ${way}`,
  );
}

/** SQL for an id after the columns got their specified types. */
function idIn16(database: Database, table: "patterns" | "pattern_usage", column: string): string {
  const value = `${table}.${column}`;
  const { otherTypes = [] } = differentPatternTables(database).find(({ name }) => name === table) ?? {};
  const type = otherTypes.find((other) => other.column.toLowerCase() === column);
  return type === undefined ? value : convertedValue(type.kind, value);
}
