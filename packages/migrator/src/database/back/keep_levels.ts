import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { levelsInTable } from "../forward/level_source.ts";
import { levelTables } from "../layouts/metrics_table.ts";
import type { Step } from "../step.ts";
import { ASSUMED_LEVELS_TABLE, KEPT_LEVELS, KEPT_LEVELS_TABLE } from "../record/side_tables.ts";
import { type UnitedRange, formerId, isUnited } from "../record/united_rows.ts";
import type { OldForm } from "./old_form.ts";

/**
 * A layout without levels cannot hold those that were recorded since, nor those that somebody corrected: they are kept
 * by id, for the next `up`. A level that was only assumed need not be.
 */
export function keepLevelsStep(form: OldForm, range: UnitedRange | null): Step {
  return {
    title: `keep the levels that were recorded since, and not assumed, in the table ${KEPT_LEVELS_TABLE}: the old layout has no column for them`,
    whole: true,
    run: (database) => {
      const from = `FROM main.interactions AS e WHERE ${losesLevel(form, range, "e.id")} AND e.id NOT IN (${assumedIds(database, "main")})`;
      if (database.prepare(`SELECT 1 ${from} LIMIT 1`).get() === undefined) return;
      database.exec(KEPT_LEVELS);
      const id = form.metrics?.level === null ? "e.id" : formerId(range, "e.id");
      database.exec(`INSERT OR REPLACE INTO main.${KEPT_LEVELS_TABLE} SELECT ${id}, e.level ${from} ORDER BY 1`);
    },
  };
}

/** True when one of the tables of the old layout has no column for levels. */
export function losesLevels({ metrics, second }: OldForm): boolean {
  return metrics !== null && (metrics.level === null || second?.level === null);
}

/** SQL that is true for an id of `interactions` whose row goes into a table without levels. */
export function losesLevel({ metrics, second }: OldForm, range: UnitedRange | null, id: string): string {
  const parts = [
    ...(metrics?.level === null ? [`NOT (${isUnited(range, id)})`] : []),
    ...(second?.level === null ? [isUnited(range, id)] : []),
  ];
  return parts.length === 0 ? "false" : `(${parts.join(" OR ")})`;
}

/** SQL for the ids of the interactions that have the level that was assumed for them, or that another table has for them still. */
export function assumedIds(database: Database, schema: "main" | "backup"): string {
  const recorded = database
    .prepare(`SELECT 1 FROM ${schema}.sqlite_schema WHERE type = 'table' AND name = '${ASSUMED_LEVELS_TABLE}'`)
    .get();
  if (recorded === undefined) return "SELECT NULL WHERE false";
  // Those of all users and those of one: SQLite finds a quick way for each, and none for both at once.
  const ids = (user: string, on: string): string =>
    `SELECT i.id FROM (SELECT * FROM ${schema}.${ASSUMED_LEVELS_TABLE} WHERE source NOT IN ('kept', 'table') AND ${user}) AS a JOIN ${schema}.interactions AS i ON ${on} i.id BETWEEN a.first_id AND a.last_id AND i.level = a.level`;
  const names = database
    .prepare(`SELECT DISTINCT state_file FROM ${schema}.${ASSUMED_LEVELS_TABLE} WHERE source = 'table'`)
    .pluck()
    .all();
  const listed = levelTables(database, schema)
    .filter(({ name }) => names.includes(name))
    .map(
      (table) =>
        `SELECT i.id FROM (${levelsInTable(table, "interactions", schema)}) AS l JOIN ${schema}.interactions AS i ON i.id = l.id AND i.level = l.level UNION ALL `,
    );
  return `${listed.join("")}${ids("user_id IS NULL", "")} UNION ALL ${ids("user_id IS NOT NULL", "a.user_id = i.user_id COLLATE BINARY AND")}`;
}
