import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { rowsText } from "../../../core/rows_text.ts";
import { formerId } from "../../record/merged_rows.ts";
import { KEPT_LEVELS_TABLE } from "../../record/side_tables.ts";
import type { DowngradePlan } from "../plan_downgrade.ts";
import { assumedIds, losesLevel } from "../restore_rows.ts";
import { countFrom } from "../../sql/count_from.ts";

/** If the old layout has no levels, proves that each level is kept, or equals the assumed one. */
export function proveLevels(database: Database, { state, mergedRange }: DowngradePlan): string[] {
  const loses = losesLevel(state, mergedRange, "e.id");
  if (loses === "false") return [];
  const id = state.metrics?.names.level === null ? "e.id" : formerId(mergedRange, "e.id");
  const isKept = !hasTable(database, KEPT_LEVELS_TABLE)
    ? "false"
    : `EXISTS (SELECT 1 FROM main.${KEPT_LEVELS_TABLE} AS k WHERE k.id = ${id} AND k.level IS e.level AND typeof(k.level) = typeof(e.level))`;
  const lost = countFrom(
    database,
    `backup.interactions AS e WHERE ${loses} AND NOT ${isKept} AND e.id NOT IN (${assumedIds(database, "backup")})`,
  );
  return lost === 0 ? [] : [`the levels of ${rowsText(lost)} are neither kept nor equal to the assumed ones`];
}
