import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { blockingCondition, oddChecks } from "../inspect/odd_checks.ts";
import type { MetricsTable } from "./metrics_table.ts";
import { sqlName, sqlNames, sqlText } from "./sql_text.ts";
import type { Step } from "./step.ts";

/** Where rows go that the layout of version 16 cannot hold. */
export const QUARANTINE_TABLE = "perdura_quarantine";

/**
 * Moves rows that version 16 cannot hold into {@link QUARANTINE_TABLE}, with every column as it is: its columns have no
 * type, so that each value keeps its storage class. Triggers of the user do not fire: nothing was deleted.
 */
export function quarantineStep(table: MetricsTable, rows: number): Step {
  return {
    title: `move ${rows} ${rows === 1 ? "row" : "rows"} that version 16 cannot hold into the side table ${QUARANTINE_TABLE}`,
    run: (database) => quarantine(database, table),
  };
}

/** The columns of the quarantine table that hold the row itself: those of the table, and its metadata. */
export function quarantinedColumns(table: MetricsTable): string[] {
  return table.metadata === null ? [...table.columns, "metadata"] : table.columns;
}

function quarantine(database: Database, table: MetricsTable): void {
  const columns = quarantinedColumns(table);
  prepareTable(database, ["perdura_source", "perdura_reason", ...columns]);
  const condition = blockingCondition(table.level);
  const source = `main.${sqlName(table.name)}`;
  const metadata =
    table.metadata !== null
      ? []
      : [
          table.sideTable
            ? "(SELECT m.metadata FROM main.interaction_metadata AS m WHERE m.interaction_id = entry.id)"
            : "NULL",
        ];
  const values = [sqlText(table.name), reasons(table), ...table.columns.map(sqlName), ...metadata];
  database.exec(
    `INSERT INTO main.${QUARANTINE_TABLE} (perdura_source, perdura_reason, ${sqlNames(columns)}) SELECT ${values.join(", ")} FROM ${source} AS entry WHERE ${condition} ORDER BY id`,
  );
  withoutTriggers(database, [table.name, "interaction_metadata"], () => {
    if (table.sideTable)
      database.exec(
        `DELETE FROM main.interaction_metadata WHERE interaction_id IN (SELECT id FROM ${source} WHERE ${condition})`,
      );
    database.exec(`DELETE FROM ${source} WHERE ${condition}`);
  });
}

function reasons(table: MetricsTable): string {
  const parts = oddChecks(table.level).filter(({ blocks }) => blocks);
  return `rtrim(${parts.map(({ condition, description }) => `iif(${condition}, ${sqlText(`${description}; `)}, '')`).join(" || ")}, '; ')`;
}

function prepareTable(database: Database, columns: readonly string[]): void {
  database.exec(`CREATE TABLE IF NOT EXISTS main.${QUARANTINE_TABLE} (${sqlNames(columns)})`);
  const present = database.prepare("SELECT lower(name) FROM pragma_table_info(?)").pluck().all(QUARANTINE_TABLE);
  for (const column of columns.filter((name) => !present.includes(name.toLowerCase()))) {
    database.exec(`ALTER TABLE main.${QUARANTINE_TABLE} ADD COLUMN ${sqlName(column)}`);
  }
}

/** Takes the triggers of the tables away while `change` runs, and puts them back with the same text. */
function withoutTriggers(database: Database, tables: readonly string[], change: () => void): void {
  const triggers = database
    .prepare(
      `SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) IN (${tables.map(sqlText).join(", ")}) ORDER BY rowid`,
    )
    .all() as { name: string; sql: string }[];
  for (const { name } of triggers) database.exec(`DROP TRIGGER main.${sqlName(name)}`);
  change();
  for (const { sql } of triggers) database.exec(sql);
}
