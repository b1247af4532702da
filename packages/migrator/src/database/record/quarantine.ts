import { hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import { blockingCondition, interactionProblems } from "@perdura/internals/validity/interaction_problems.js";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { allColumnsOf, freeName } from "../sql/catalog.ts";
import { countFrom } from "../sql/count_from.ts";
import { rowIdName } from "../sql/row_id.ts";
import { changeRows, type RowChange, runForRows } from "../steps/fired_triggers.ts";
import { sqlNames } from "../sql/sql_text.ts";
import type { Step } from "../steps/step.ts";

/** Table for rows that the layout of version 16 cannot hold. */
export const QUARANTINE_TABLE = "perdura_quarantine";

/** Names of the quarantine's columns for rows of one table. */
interface QuarantineColumns {
  /** The source table of the row. */
  source: string;
  reason: string;
  metadata: string;
  /** The columns of the row itself. */
  row: readonly string[];
}

/** Derives the names from those of the table, so that a later proof finds them. */
export function quarantineColumns({
  columns,
  names,
}: Pick<MetricsTable, "columns"> & { names: Pick<MetricsTable["names"], "metadata"> }): QuarantineColumns {
  return {
    source: freeName("perdura_source", columns),
    reason: freeName("perdura_reason", columns),
    metadata: names.metadata ?? freeName("metadata", columns),
    row: columns,
  };
}

/** The columns of the quarantine, or undefined if it does not exist. */
export function columnsOfQuarantine(database: Database, schema: "main" | "backup"): string[] | undefined {
  if (!hasTable(database, QUARANTINE_TABLE, schema)) return undefined;
  return allColumnsOf(database, QUARANTINE_TABLE, schema);
}

/** Number of its rows that a condition is true for, given the SQL for an alias. */
export function countQuarantined(database: Database, where: (row: string) => string): number {
  return countFrom(database, `main.${QUARANTINE_TABLE} AS q WHERE ${where("q")}`);
}

/**
 * SQL that is true for rows that came into the quarantine since the backup.
 *
 * @param columns The columns of the quarantine.
 * @param row An alias of it.
 */
export function quarantinedSince(database: Database, columns: readonly string[], row: string): string {
  const rowId = rowIdName(QUARANTINE_TABLE, columns);
  const earlier =
    columnsOfQuarantine(database, "backup") === undefined
      ? "0"
      : `(SELECT ifnull(max(${rowId}), 0) FROM backup.${QUARANTINE_TABLE})`;
  return `${row}.${rowId} > ${earlier}`;
}

/** The highest row id of the quarantine, as text; null if it does not exist, or is a foreign table. */
export function lastQuarantined(database: Database): string | null {
  const columns = hasRowid(database, QUARANTINE_TABLE) ? columnsOfQuarantine(database, "main") : undefined;
  if (columns?.some((column) => column.toLowerCase().startsWith("perdura_source")) !== true) return null;
  return database
    .prepare(`SELECT CAST(max(${rowIdName(QUARANTINE_TABLE, columns)}) AS TEXT) FROM main.${QUARANTINE_TABLE}`)
    .pluck()
    .get() as string | null;
}

/** @throws Stop if an object with this name was not made by perdura-migrate: column types would convert the values. */
export function assertQuarantineIsOurs(database: Database): void {
  const columns = database
    .prepare(
      `SELECT lower(name) AS name, type = '' AND "notnull" = 0 AND pk = 0 AND hidden = 0 AS plain FROM pragma_table_xinfo('${QUARANTINE_TABLE}', 'main')`,
    )
    .all() as { name: string; plain: 0 | 1 }[];
  const name = database
    .prepare("SELECT name FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE")
    .pluck()
    .get(QUARANTINE_TABLE) as string | undefined;
  if (name === undefined) return;
  const ours =
    hasTable(database, QUARANTINE_TABLE) &&
    columns.every(({ plain }) => plain === 1) &&
    columns.some((column) => column.name.startsWith("perdura_source"));
  if (ours) return;
  throw new Stop(
    "refused",
    `Cannot move rows to quarantine: ${name} already exists, and perdura-migrate did not create it. Rename it, then run this command again.`,
  );
}

/**
 * Moves rows that version 16 cannot hold into {@link QUARANTINE_TABLE}, with all columns unchanged: its columns have no
 * type, so that each value keeps its storage class.
 */
export function quarantineStep(table: MetricsTable, rows: number): Step {
  return {
    title: `move ${rows} invalid ${rows === 1 ? "row" : "rows"} of ${table.name} to quarantine (${QUARANTINE_TABLE})`,
    whole: true,
    changes: changesOf(table),
    run: (database) => quarantine(database, table),
  };
}

/** Rows that leave tables. */
function changesOf(table: MetricsTable): RowChange[] {
  const where = blockingCondition(table);
  const isTheirs = `interaction_id IN (SELECT id FROM main.${sqlName(table.name)} WHERE ${where})`;
  return [
    { table: table.name, kind: "delete", where },
    ...(table.sideTable ? [{ table: "interaction_metadata", kind: "delete", where: isTheirs } as const] : []),
  ];
}

function quarantine(database: Database, table: MetricsTable): void {
  const { source, reason, metadata, row } = quarantineColumns(table);
  const from = `main.${sqlName(table.name)}`;
  const condition = blockingCondition(table);
  const values: [column: string, expression: string][] = [
    [source, sqlText(table.name)],
    [reason, reasons(table)],
    ...row.map((column): [string, string] => [column, sqlName(column)]),
    ...(table.names.metadata === null ? [[metadata, sideMetadata(table)] satisfies [string, string]] : []),
  ];
  const columns = values.map(([column]) => column);
  addQuarantineColumns(database, columns);
  const { changes: rows } = database
    .prepare(
      `INSERT INTO main.${QUARANTINE_TABLE} (${sqlNames(columns)}) SELECT ${values.map(([, expression]) => expression).join(", ")} FROM ${from} AS entry WHERE ${condition} ORDER BY id`,
    )
    .run();
  changeRows(database, [table.name, "interaction_metadata"], () => {
    if (table.sideTable)
      database.exec(
        `DELETE FROM main.interaction_metadata WHERE interaction_id IN (SELECT id FROM ${from} WHERE ${condition})`,
      );
    runForRows(database, table.name, `DELETE FROM ${from} WHERE ${condition}`, rows);
  });
}

function sideMetadata({ sideTable }: MetricsTable): string {
  return sideTable
    ? "(SELECT m.metadata FROM main.interaction_metadata AS m WHERE m.interaction_id = entry.id)"
    : "NULL";
}

function reasons(table: MetricsTable): string {
  const parts = interactionProblems(table).filter(({ blocks }) => blocks);
  return `rtrim(${parts.map(({ condition, description }) => `iif(${condition}, ${sqlText(`${description}; `)}, '')`).join(" || ")}, '; ')`;
}

/** Creates the table, or adds the columns that it lacks. */
export function addQuarantineColumns(database: Database, columns: readonly string[]): void {
  database.exec(`CREATE TABLE IF NOT EXISTS main.${QUARANTINE_TABLE} (${sqlNames(columns)})`);
  const present = new Set(columnsOfQuarantine(database, "main")?.map((name) => name.toLowerCase()));
  for (const column of columns.filter((name) => !present.has(name.toLowerCase()))) {
    database.exec(`ALTER TABLE main.${QUARANTINE_TABLE} ADD COLUMN ${sqlName(column)}`);
  }
}
