import { columnsOf, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sharedColumns } from "../forward/added_rows.ts";
import { allOf, sqlName, sqlText, sqlNames } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";
import { withoutTriggers } from "../sql/schema_text.ts";
import { type LevelTable, levelTables, type MetricsTable } from "../layouts/metrics_table.ts";
import { UNITED_ROWS_TABLE } from "../record/side_tables.ts";
import { unitedTables, type UnitedRange, formerId, isUnited } from "../record/united_rows.ts";
import { SIDE_TABLE, type OldForm } from "./old_form.ts";
import type { SchemaEntry } from "../layouts/catalog.ts";
import { hasSideTable, filledColumns } from "./restore_table.ts";
import { makeObject } from "./make_object.ts";

/** SQL for the ids of rows that a migration added to `interactions`, and that the table they came from has still. */
export type AddedIds = (schema: "main" | "backup") => string;

/** Null where there is none: then nothing was added, or somebody changed that table or those rows since. */
export function addedIdsOf(database: Database, { metrics, second }: OldForm): AddedIds | null {
  if (metrics === null) return null;
  const united = unitedTables(database).filter((name) => name !== second?.name);
  const tables = levelTables(database).filter(({ name }) => united.includes(name));
  if (tables.length === 0) return null;
  const columns = columnsOf(database, "interactions").map(({ name }) => name);
  const side = hasTable(database, SIDE_TABLE);
  const ids: AddedIds = (schema) => tables.map((table) => equalRows(table, columns, side, schema)).join(" UNION ");
  return database.prepare(`SELECT 1 FROM (${ids("main")})`).get() === undefined ? null : ids;
}

function equalRows(table: LevelTable, columns: string[], side: boolean, schema: "main" | "backup"): string {
  const own = { ...table, columns, level: "level", metadata: null };
  const equal = [
    `i.level IS t.${sqlName(table.level)}`,
    ...sharedColumns(table, own).map((column) => `i.${sqlName(column)} IS t.${sqlName(column)} COLLATE BINARY`),
    ...(side ? [`m.metadata IS ${table.metadata === null ? "NULL" : `t.${sqlName(table.metadata)}`}`] : []),
  ];
  const join = side ? `LEFT JOIN ${schema}.${SIDE_TABLE} AS m ON m.interaction_id = i.id` : "";
  return `SELECT i.id FROM ${schema}.${UNITED_ROWS_TABLE} AS u JOIN ${schema}.interactions AS i ON i.id BETWEEN u.first_source_id AND u.last_source_id
    JOIN ${schema}.${sqlName(table.name)} AS t ON t.id = i.id ${join} WHERE u.source_table = ${sqlText(table.name)} AND ${allOf(equal)}`;
}

/** Takes those rows out of `interactions` again. Nothing was deleted, so triggers of the user do not fire. */
export function takeOutStep(ids: AddedIds): Step {
  return {
    title: "take the rows that the migration added from another table out again: that table has them",
    whole: true,
    run: (database) => {
      const added = "temp.perdura_added_ids";
      database.exec(`DROP TABLE IF EXISTS ${added}`);
      database.exec(`CREATE TABLE ${added} AS ${ids("main")}`);
      withoutTriggers(database, ["interactions", SIDE_TABLE], () => {
        if (hasTable(database, SIDE_TABLE))
          database.exec(`DELETE FROM main.${SIDE_TABLE} WHERE interaction_id IN (SELECT id FROM ${added})`);
        database.exec(`DELETE FROM main.interactions WHERE id IN (SELECT id FROM ${added})`);
      });
    },
  };
}

/** Moves the rows that came from a second table back into it, under the ids that they had there. */
export function separateStep(table: MetricsTable, entry: SchemaEntry, range: UnitedRange | null): Step {
  return {
    title: `make the table ${table.name} again, and move the rows that came from it back`,
    whole: true,
    run: (database) => {
      makeObject(database, entry);
      const side = hasSideTable(database);
      const filled = filledColumns(table, "e", side ? "m.metadata" : "NULL", formerId(range, "e.id"));
      const join = side ? `LEFT JOIN main.${SIDE_TABLE} AS m ON m.interaction_id = e.id ` : "";
      database.exec(
        `INSERT INTO main.${sqlName(table.name)} (${sqlNames(filled.map(([column]) => column))}) SELECT ${filled.map(([, value]) => value).join(", ")} FROM main.interactions AS e ${join}WHERE ${isUnited(range, "e.id")} ORDER BY e.id`,
      );
      // Nothing was deleted: triggers of the user do not fire.
      withoutTriggers(database, ["interactions", SIDE_TABLE], () => {
        if (side) database.exec(`DELETE FROM main.${SIDE_TABLE} WHERE ${isUnited(range, "interaction_id")}`);
        database.exec(`DELETE FROM main.interactions WHERE ${isUnited(range, "id")}`);
      });
    },
  };
}
