import { INTERACTION_METADATA_TABLE } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { blockingCondition } from "../inspect/row_checks.ts";
import type { LevelTable, MetricsTable } from "../layouts/layout.ts";
import { nextNumber } from "../record/migration_record.ts";
import { MERGED_ROWS, MERGED_ROWS_TABLE } from "../record/side_tables.ts";
import { withoutTriggers } from "../sql/schema_text.ts";
import { sqlName, sqlNames, sqlText } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";

/**
 * Rows of another table whose ids the metrics table lacks. They are added with their ids, and also stay in that table.
 */
export interface AddedRows {
  table: LevelTable;
  rows: number;
  first: number;
  last: number;
}

type Schema = "main" | "backup";

/** SQL that is true for a row `t` of another table that a metrics table lacks. */
export function isMissing(table: LevelTable, metrics: string, schema: Schema = "main"): string {
  const from = `${schema}.${sqlName(table.name)}`;
  return [
    "typeof(t.id) = 'integer'",
    `t.id NOT IN (SELECT id FROM ${schema}.${sqlName(metrics)})`,
    // If several rows have the same id, the right one is unknown.
    ...(table.hasUniqueIds ? [] : [`t.id IN (SELECT id FROM ${from} GROUP BY id HAVING count(*) = 1)`]),
  ].join(" AND ");
}

/** SQL for the ids of the rows to add: those of {@link isMissing} that version 16 can hold. */
export function addedIds(table: LevelTable, metrics: string, schema: Schema = "main"): string {
  return `SELECT t.id FROM ${schema}.${sqlName(table.name)} AS t WHERE ${isMissing(table, metrics, schema)} AND NOT (${blockingCondition(table)})`;
}

/** Columns of another table whose values are added to `interactions`: those that the metrics table also has. */
export function sharedColumns(table: LevelTable, metrics: MetricsTable): string[] {
  const own = new Set(
    metrics.columns.filter((column) => column !== metrics.level && column !== metrics.metadata).map(lower),
  );
  return table.columns.filter((column) => own.has(lower(column)) && column !== table.level && lower(column) !== "id");
}

const lower = (name: string): string => name.toLowerCase();

/**
 * Adds them to `interactions`, which already has its new columns, and records their ids. This is the last change of its
 * rows, so that no other step affects the added ones.
 */
export function addSteps({ table, rows, first, last }: AddedRows, metrics: MetricsTable): Step[] {
  return [
    {
      title: `add the ${rows === 1 ? "row" : `${rows} rows`} of the table ${table.name} that ${metrics.name} lacks to interactions, with ${rows === 1 ? `the id ${first}` : `ids from ${first} to ${last}`}; ${table.name} is kept unchanged`,
      whole: true,
      run: (database) => add(database, table, sharedColumns(table, metrics)),
    },
  ];
}

function add(database: Database, table: LevelTable, columns: readonly string[]): void {
  const from = `main.${sqlName(table.name)}`;
  const ids = "temp.perdura_added_ids";
  database.exec(`DROP TABLE IF EXISTS ${ids}`);
  database.exec(`CREATE TABLE ${ids} (id INTEGER PRIMARY KEY)`);
  database.exec(`INSERT INTO ${ids} ${addedIds(table, "interactions")}`);
  // Inserting no rows would still create a counter of ids.
  if (database.prepare(`SELECT 1 FROM ${ids}`).get() === undefined) return;
  record(database, table, ids);
  withoutTriggers(database, ["interactions"], () =>
    database.exec(
      `INSERT INTO main.interactions (id, level, ${sqlNames(columns)}) SELECT t.id, t.${sqlName(table.level)}, ${columns.map((column) => `t.${sqlName(column)}`).join(", ")} FROM ${ids} AS a JOIN ${from} AS t ON t.id = a.id ORDER BY t.id`,
    ),
  );
  if (table.metadata === null) return;
  const metadata = `t.${sqlName(table.metadata)}`;
  database.exec(INTERACTION_METADATA_TABLE);
  withoutTriggers(database, ["interaction_metadata"], () =>
    database.exec(
      `INSERT INTO main.interaction_metadata (interaction_id, metadata) SELECT t.id, ${metadata} FROM ${ids} AS a JOIN ${from} AS t ON t.id = a.id WHERE ${metadata} IS NOT NULL ORDER BY t.id`,
    ),
  );
}

/** Records ranges that contain no other row of `interactions`. */
function record(database: Database, table: LevelTable, ids: string): void {
  const number = nextNumber(database);
  database.exec(MERGED_ROWS);
  database.exec(
    `INSERT INTO main.${MERGED_ROWS_TABLE} SELECT ${number}, ${sqlText(table.name)}, min(id), max(id), count(*), 0
    FROM (SELECT id, added, sum(1 - added) OVER (ORDER BY id) AS run FROM (SELECT id, 1 AS added FROM ${ids} UNION ALL SELECT id, 0 FROM main.interactions))
    WHERE added GROUP BY run ORDER BY 3`,
  );
}
