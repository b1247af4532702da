import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { KEPT_LEVELS_TABLE } from "../../record/side_tables.ts";
import { assumedIds, losesLevel } from "../keep_levels.ts";
import type { Reversion } from "../reversion.ts";
import { formerId } from "../united.ts";
import { rowsText } from "../../core/rows_text.ts";

/** Where the old layout has no levels, each is kept, or is the one that was assumed. */
export function proveLevels(database: Database, { form, united, added }: Reversion): string[] {
  const loses = losesLevel(form, united, "e.id");
  if (loses === "false") return [];
  const kept = database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = ?").get(KEPT_LEVELS_TABLE);
  const id = form.metrics?.level === null ? "e.id" : formerId(united, "e.id");
  const isKept =
    kept === undefined
      ? "false"
      : `EXISTS (SELECT 1 FROM main.${KEPT_LEVELS_TABLE} AS k WHERE k.id = ${id} AND k.level IS e.level AND typeof(k.level) = typeof(e.level))`;
  const lost = database
    .prepare(
      `SELECT count(*) FROM backup.interactions AS e WHERE ${loses} AND NOT ${isKept} AND e.id NOT IN (${assumedIds(database, "backup")})${added === null ? "" : ` AND e.id NOT IN (${added("backup")})`}`,
    )
    .pluck()
    .get() as number;
  return lost === 0 ? [] : [`the levels of ${rowsText(lost)} are neither kept nor the ones that were assumed`];
}
