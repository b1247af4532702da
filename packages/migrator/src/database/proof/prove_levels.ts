import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { interactionsWithLevels, levelTableNamed, levelTables } from "../layouts/level_tables.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { hasKeptLevels, levelsInTable, USABLE_KEPT } from "../levels/level_source.ts";
import { nextNumber } from "../record/migration_record.ts";
import { ASSUMED_LEVELS_TABLE, KEPT_LEVELS_TABLE } from "../record/side_tables.ts";
import { countAll } from "./comparison.ts";
import type { Subject } from "./subject.ts";

/**
 * Proves that every row of a table without levels has the level that was kept for it, or else the recorded one; and
 * that the column is as in a new database.
 *
 * @param idOffset Offset that was added to the ids of that table.
 */
export function proveLevels(subject: Subject, before: MetricsTable, idOffset: number): string[] {
  if (before.names.level !== null) return [];
  const { rows, wrong, recorded, used } = compareLevels(subject, before, idOffset);
  return [
    ...(wrong > 0
      ? [
          `${rowsText(wrong)} of interactions ${agreeing(wrong, "does", "do")} not have the level that ${ASSUMED_LEVELS_TABLE} records`,
        ]
      : []),
    ...(rows === recorded
      ? []
      : [`${ASSUMED_LEVELS_TABLE} records levels for ${rowsText(recorded)}, but ${rows} got one`]),
    ...(subject.later || keptIn(subject, "main") === keptIn(subject, "backup") - used
      ? []
      : [`unused levels of ${KEPT_LEVELS_TABLE} are missing`]),
    ...wrongColumn(subject),
  ];
}

function compareLevels(
  { database }: Subject,
  before: MetricsTable,
  idOffset: number,
): { rows: number; wrong: number; recorded: number; used: number } {
  const number = nextNumber(database, "backup");
  // If no row got a level, nothing is recorded.
  const records = hasTable(database, ASSUMED_LEVELS_TABLE)
    ? `SELECT * FROM main.${ASSUMED_LEVELS_TABLE} WHERE number = ${number}`
    : NO_RECORDS;
  const [recorded, byUser] = database
    .prepare(`SELECT ifnull(sum(rows), 0), count(user_id) FROM (${records})`)
    .raw()
    .get() as [number, number];
  const kept = hasKeptLevels(database, "backup")
    ? `SELECT * FROM backup.${KEPT_LEVELS_TABLE} AS k WHERE ${USABLE_KEPT}`
    : "SELECT 0 AS id, 0 AS level WHERE false";
  const source = database.prepare(`SELECT state_file FROM (${records}) WHERE source = 'table'`).pluck().get() as
    | string
    | undefined;
  const other = source === undefined ? undefined : levelTableNamed(levelTables(database, "backup"), source);
  const listed =
    other === undefined ? levelsOfFile(database, before, records, idOffset) : levelsInTable(other, before, "backup");
  // Not by both at once: an automatic index of SQLite serves one condition.
  const on = byUser > 0 ? `a.user_id = b.${sqlName(before.names.user_id)} COLLATE BINARY AND` : "";
  const [rows, used, wrong] = database
    .prepare(
      `WITH assumed AS MATERIALIZED (SELECT user_id, first_id, last_id, level FROM (${records}) WHERE source NOT IN ('kept', 'table', 'file')),
      listed AS MATERIALIZED (${listed})
      SELECT count(*), count(k.id), count(CASE WHEN typeof(i.level) <> 'integer' OR i.level NOT BETWEEN 1 AND 5 OR i.level IS NOT coalesce(k.level, t.level, a.level) THEN 1 END)
      FROM backup.${sqlName(before.name)} AS b
      JOIN main.interactions AS i ON i.id = b.id + ${idOffset}
      LEFT JOIN (${kept}) AS k ON k.id = b.id
      LEFT JOIN listed AS t ON t.id = b.id
      LEFT JOIN assumed AS a ON k.id IS NULL AND t.id IS NULL AND ${on} i.id BETWEEN a.first_id AND a.last_id`,
    )
    .raw()
    .get() as [number, number, number];
  return { rows, wrong, recorded, used };
}

/**
 * SQL for the levels that a copy of the database has, as long as it is attached. Later, the file may be gone: the record
 * only has the levels of ranges of rows, so a level is accepted if rows of its range got it.
 */
function levelsOfFile(database: Database, before: MetricsTable, records: string, idOffset: number): string {
  const isAttached = database.prepare("SELECT 1 FROM pragma_database_list WHERE name = 'levels'").get() !== undefined;
  const table = isAttached ? interactionsWithLevels(database, "levels") : undefined;
  if (table !== undefined) return levelsInTable(table, before, "backup", "levels");
  return `SELECT i.id - ${idOffset} AS id, i.level FROM (${records}) AS r JOIN main.interactions AS i
    ON r.source = 'file' AND i.level = r.level AND i.id BETWEEN r.first_id AND r.last_id`;
}

const NO_RECORDS =
  "SELECT NULL AS user_id, 0 AS first_id, 0 AS last_id, 0 AS rows, 0 AS level, '' AS source, NULL AS state_file WHERE false";

function keptIn({ database }: Subject, schema: "main" | "backup"): number {
  return hasKeptLevels(database, schema) ? countAll(database, schema, KEPT_LEVELS_TABLE) : 0;
}

/** Without a default, a row that does not store its level reads as NULL, so that the comparison above is meaningful. */
function wrongColumn({ database }: Subject): string[] {
  const column = database
    .prepare(
      `SELECT type || iif("notnull", ' NOT NULL', '') || ifnull(' DEFAULT ' || dflt_value, '') FROM pragma_table_xinfo('interactions', 'main') WHERE name = 'level'`,
    )
    .pluck()
    .get();
  return column === "INTEGER NOT NULL" ? [] : [`the column level is ${String(column)}, expected INTEGER NOT NULL`];
}
