import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { blockingCondition, oddChecks } from "../inspect/odd_checks.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE, quarantineColumns } from "../record/quarantine_table.ts";
import { sqlName, sqlNames, sqlText } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";
import { withoutTriggers } from "../sql/schema_text.ts";

/**
 * Moves rows that version 16 cannot hold into {@link QUARANTINE_TABLE}, with every column as it is: its columns have no
 * type, so that each value keeps its storage class. Triggers of the user do not fire: nothing was deleted.
 */
export function quarantineStep(table: MetricsTable, rows: number): Step {
  return {
    title: `move ${rows} ${rows === 1 ? "row" : "rows"} of ${table.name} that version 16 cannot hold into the side table ${QUARANTINE_TABLE}`,
    whole: true,
    run: (database) => quarantine(database, table),
  };
}

function quarantine(database: Database, table: MetricsTable): void {
  const { source, reason, metadata, row } = quarantineColumns(table);
  const from = `main.${sqlName(table.name)}`;
  const condition = blockingCondition(table);
  const values: [column: string, expression: string][] = [
    [source, sqlText(table.name)],
    [reason, reasons(table)],
    ...row.map((column): [string, string] => [column, sqlName(column)]),
    ...(table.metadata === null ? [[metadata, sideMetadata(table)] satisfies [string, string]] : []),
  ];
  const columns = values.map(([column]) => column);
  addQuarantineColumns(database, columns);
  database.exec(
    `INSERT INTO main.${QUARANTINE_TABLE} (${sqlNames(columns)}) SELECT ${values.map(([, expression]) => expression).join(", ")} FROM ${from} AS entry WHERE ${condition} ORDER BY id`,
  );
  withoutTriggers(database, [table.name, "interaction_metadata"], () => {
    if (table.sideTable)
      database.exec(
        `DELETE FROM main.interaction_metadata WHERE interaction_id IN (SELECT id FROM ${from} WHERE ${condition})`,
      );
    database.exec(`DELETE FROM ${from} WHERE ${condition}`);
  });
}

function sideMetadata({ sideTable }: MetricsTable): string {
  return sideTable
    ? "(SELECT m.metadata FROM main.interaction_metadata AS m WHERE m.interaction_id = entry.id)"
    : "NULL";
}

function reasons(table: MetricsTable): string {
  const parts = oddChecks(table).filter(({ blocks }) => blocks);
  return `rtrim(${parts.map(({ condition, description }) => `iif(${condition}, ${sqlText(`${description}; `)}, '')`).join(" || ")}, '; ')`;
}

/** Makes the table, or gives it the columns that it does not have yet. */
export function addQuarantineColumns(database: Database, columns: readonly string[]): void {
  database.exec(`CREATE TABLE IF NOT EXISTS main.${QUARANTINE_TABLE} (${sqlNames(columns)})`);
  const present = new Set(columnsOfQuarantine(database, "main")?.map((name) => name.toLowerCase()));
  for (const column of columns.filter((name) => !present.has(name.toLowerCase()))) {
    database.exec(`ALTER TABLE main.${QUARANTINE_TABLE} ADD COLUMN ${sqlName(column)}`);
  }
}
