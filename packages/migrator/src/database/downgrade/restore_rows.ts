import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { levelsInTable } from "../levels/level_source.ts";
import type { SchemaEntry } from "../sql/catalog.ts";
import { levelTables } from "../layouts/level_tables.ts";
import {
  INTERACTIONS,
  type KeptColumn,
  lacksLevels,
  type MetricsTable,
  SIDE_TABLE,
  TABLE_16,
} from "../layouts/metrics_table.ts";
import { ASSUMED_LEVELS_TABLE, KEPT_LEVELS, KEPT_LEVELS_TABLE } from "../record/side_tables.ts";
import { formerId, isMerged, type MergedRange } from "../record/merged_rows.ts";
import { type ChangedTable, rowBefore } from "../record/row_before.ts";
import { changeRows, firedTriggers } from "../steps/fired_triggers.ts";
import { ignoringChecks } from "../sql/ignoring_checks.ts";
import { sqlNames } from "../sql/sql_text.ts";
import type { Step } from "../steps/step.ts";
import { createObject } from "./objects.ts";
import { type FormerState } from "./former_state.ts";

/**
 * Moves the rows of a second table back into it, with their former ids.
 *
 * @param triggers The user's triggers on that table, which the migration dropped with it. They are created again later;
 *   here they exist while the rows return, so that what they maintain counts these rows again.
 */
export function splitTableStep(
  table: MetricsTable,
  entry: SchemaEntry,
  range: MergedRange | null,
  number: number,
  triggers: readonly SchemaEntry[],
): Step {
  return {
    title: `create the table ${table.name} again and move its former rows to it`,
    whole: true,
    changes: [
      { table: table.name, kind: "insert" },
      { table: "interactions", kind: "delete" },
      { table: SIDE_TABLE, kind: "delete" },
    ],
    run: (database) => {
      createObject(database, entry);
      addRows(database, [table.name], triggers, () =>
        copyFormerRows(database, {
          table,
          number,
          id: formerId(range, "e.id"),
          from: INTERACTIONS,
          nameOf: ({ to }) => to,
          where: isMerged(range, "e.id"),
        }),
      );
      changeRows(database, ["interactions", SIDE_TABLE], () => {
        if (hasTable(database, SIDE_TABLE))
          database.exec(`DELETE FROM main.${SIDE_TABLE} WHERE ${isMerged(range, "interaction_id")}`);
        database.exec(`DELETE FROM main.interactions WHERE ${isMerged(range, "id")}`);
      });
    },
  };
}

/**
 * Adds rows to tables so that the user's triggers see it.
 *
 * @param triggers Triggers that do not exist yet.
 */
export function addRows(
  database: Database,
  tables: readonly string[],
  triggers: readonly SchemaEntry[],
  add: () => void,
): void {
  const { fired } = firedTriggers(
    triggers,
    tables.map((table) => ({ table, kind: "insert" })),
  );
  const there = triggers.filter(({ name }) => fired.some((trigger) => trigger.name === name));
  for (const trigger of there) createObject(database, trigger);
  changeRows(database, tables, add);
  for (const { name } of there) database.exec(`DROP TRIGGER main.${sqlName(name)}`);
}

/** Rows of version 16 that return to a table of the old layout. */
interface ReturningRows extends Omit<ChangedTable, "schema"> {
  /** The table that has them, with the alias `e`. */
  from: string;
  /** The name that a column has there. */
  nameOf: (column: KeptColumn) => string;
  where?: string;
}

/** Copies rows into their table of the old layout, in the form that they had there. */
export function copyFormerRows(database: Database, { from, nameOf, where = "true", ...changed }: ReturningRows): void {
  const side = hasTable(database, SIDE_TABLE);
  const filled = rowBefore(
    database,
    { ...changed, schema: "main" },
    { row: "e", nameOf, metadata: side ? "m.metadata" : "NULL" },
  );
  const join = side ? `LEFT JOIN main.${SIDE_TABLE} AS m ON m.interaction_id = e.id` : "";
  ignoringChecks(database, () =>
    database.exec(
      `INSERT INTO main.${sqlName(changed.table.name)} (${sqlNames(filled.map(([column]) => column))}) SELECT ${filled.map(([, value]) => value).join(", ")} FROM main.${from} AS e ${join} WHERE ${where} ORDER BY e.id`,
    ),
  );
}

/**
 * A layout without levels cannot hold those that were recorded or corrected since: they are kept by id, for the next
 * `up`. Levels that were only assumed are not kept.
 */
export function saveLevelsStep(state: FormerState, range: MergedRange | null): Step {
  return {
    title: `save recorded levels, but not assumed ones, in the table ${KEPT_LEVELS_TABLE}: the pre-16 layout has no column for levels`,
    whole: true,
    run: (database) => {
      const from = `FROM main.interactions AS e WHERE ${losesLevel(state, range, "e.id")} AND e.id NOT IN (${assumedIds(database, "main")})`;
      if (database.prepare(`SELECT 1 ${from} LIMIT 1`).get() === undefined) return;
      database.exec(KEPT_LEVELS.create);
      const id = state.metrics?.names.level === null ? "e.id" : formerId(range, "e.id");
      database.exec(`INSERT OR REPLACE INTO main.${KEPT_LEVELS_TABLE} SELECT ${id}, e.level ${from} ORDER BY 1`);
    },
  };
}

/** True if one of the tables of the old layout has no column for levels. */
export function losesLevels({ metrics, second }: FormerState): boolean {
  return lacksLevels(metrics, second);
}

/** SQL that is true for an id of `interactions` whose row returns to a table without levels. */
export function losesLevel({ metrics, second }: FormerState, range: MergedRange | null, id: string): string {
  const parts = [
    ...(metrics?.names.level === null ? [`NOT (${isMerged(range, id)})`] : []),
    ...(second?.names.level === null ? [isMerged(range, id)] : []),
  ];
  return parts.length === 0 ? "false" : `(${parts.join(" OR ")})`;
}

/**
 * SQL for the ids of the interactions whose level is the assumed one, or the one that another table still has for them.
 */
export function assumedIds(database: Database, schema: "main" | "backup"): string {
  if (!hasTable(database, ASSUMED_LEVELS_TABLE, schema)) return "SELECT NULL WHERE false";
  // Separate conditions for all users and for single ones: SQLite uses an index for each, but not for both together.
  const ids = (user: string, on: string): string =>
    `SELECT i.id FROM (SELECT * FROM ${schema}.${ASSUMED_LEVELS_TABLE} WHERE source NOT IN ('kept', 'table', 'file') AND ${user}) AS a JOIN ${schema}.interactions AS i ON ${on} i.id BETWEEN a.first_id AND a.last_id AND i.level = a.level`;
  const names = database
    .prepare(`SELECT DISTINCT state_file FROM ${schema}.${ASSUMED_LEVELS_TABLE} WHERE source = 'table'`)
    .pluck()
    .all();
  const listed = levelTables(database, schema)
    .filter(({ name }) => names.includes(name))
    .map(
      (table) =>
        `SELECT i.id FROM (${levelsInTable(table, TABLE_16, schema)}) AS l JOIN ${schema}.interactions AS i ON i.id = l.id AND i.level = l.level UNION ALL `,
    );
  return `${listed.join("")}${ids("user_id IS NULL", "")} UNION ALL ${ids("user_id IS NOT NULL", "a.user_id = i.user_id COLLATE BINARY AND")}`;
}
