import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { formerIdOfUsage } from "../../patterns/assigned_ids.ts";
import { repairedColumns, valueBeforeRepair } from "../../patterns/repaired_values.ts";
import { type Compared, rowsDiffer } from "../../proof/comparison.ts";
import type { TableChange } from "../../proof/prove_other_tables.ts";
import { QUARANTINE_TABLE } from "../../record/quarantine.ts";
import { hasOwn, REPAIRED_VALUES } from "../../record/side_tables.ts";
import { integerKey } from "../../sql/row_id.ts";
import { allOf, sameValue } from "../../sql/sql_text.ts";
import { patternValueBefore } from "../pattern_columns.ts";
import type { DowngradePlan } from "../plan_downgrade.ts";
import type { QuarantinedPatterns } from "../quarantined_patterns.ts";
import { countFrom } from "../../sql/count_from.ts";

/** The effect of the downgrade on a table: rows of patterns return from the quarantine, and values are as before. */
export function restoredPatterns(database: Database, plan: DowngradePlan, table: string): TableChange {
  const name = table.toLowerCase();
  const share = plan.patterns.find((each) => each.table === name);
  const unequal = share === undefined ? 0 : unequalReturned(database, share);
  return {
    converted: formerValue(database, plan, name),
    without: plan.libraries.flatMap(({ table: library }) =>
      library.name === name ? library.missing.map((column) => column.name) : [],
    ),
    returned: share?.rows ?? 0,
    differences: unequal === 0 ? [] : [rowsDiffer(unequal, table, QUARANTINE_TABLE)],
  };
}

/** Values before they were repaired, and before that converted. */
function formerValue(database: Database, { libraries }: DowngradePlan, table: string): Compared {
  const repaired = table === "patterns" ? repairedColumns(database, "backup") : [];
  const moves = table === "pattern_usage" && hasOwn(database, REPAIRED_VALUES, "backup");
  const unrepaired = (column: string, value: string): string => {
    if (repaired.includes(column)) return valueBeforeRepair({ schema: "backup" }, column, "l", value);
    return moves && column === "pattern_id" ? `ifnull(${formerIdOfUsage(database, "backup", value)}, ${value})` : value;
  };
  return (column, stored) => {
    const value = unrepaired(column.toLowerCase(), stored);
    return patternValueBefore(database, libraries, "backup", table, column, "l", value) ?? value;
  };
}

/** A row whose row id was taken has a new one, so it is found by its values. */
function unequalReturned(database: Database, { table, columns, where }: QuarantinedPatterns): number {
  const key = integerKey(database, table);
  const held = columns.filter((column) => column !== key);
  const equal = allOf(held.map((column) => sameValue(`r.${sqlName(column)}`, `l.${sqlName(column)}`)));
  const found = sqlName(table === "patterns" ? "id" : "pattern_id");
  return countFrom(
    database,
    `backup.${QUARANTINE_TABLE} AS l WHERE ${where("l")} AND NOT EXISTS (SELECT 1 FROM main.${table} AS r WHERE r.${found} IS l.${found} AND ${equal})`,
  );
}
