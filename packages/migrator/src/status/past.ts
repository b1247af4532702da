import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type Catalog, entryNamed } from "../recognise/catalog.ts";
import { readRecords } from "../record/migration_record.ts";
import { ASSUMED_LEVELS_TABLE, holdsAssumed, UNITED_ROWS_TABLE } from "../record/side_tables.ts";
import { holdsUnited } from "../record/united_rows.ts";
import type { AssumedLevels, DatabaseReport, UnitedRows } from "../core/report.ts";

/** Puts into a report what a database itself tells of its migrations. */
export function addPast(database: Database, catalog: Catalog, report: DatabaseReport): void {
  report.history = readRecords(database).map(({ number, migrated_at, tool_version, layout, fence }) => ({
    number,
    migrated_at,
    tool_version,
    layout,
    fence,
  }));
  const last = report.history.at(-1);
  if (last === undefined) return;
  if (last.fence !== null && entryNamed(catalog, "metrics") === undefined)
    report.notes.push(
      "the view metrics that the migration left is gone: a program before 16 could begin a second table",
    );
  if (holdsAssumed(database)) report.assumed_levels = assumedIn(database);
  if (holdsUnited(database)) report.united = unitedIn(database);
}

/** Where a range holds rows of many users, only the rows are recorded. */
function assumedIn(database: Database): AssumedLevels[] {
  return database
    .prepare(
      `SELECT level, sum(rows) AS rows, iif(count(user_id) = count(*), count(DISTINCT user_id), NULL) AS users, source
       FROM main.${ASSUMED_LEVELS_TABLE} GROUP BY level, source ORDER BY source, level`,
    )
    .all() as AssumedLevels[];
}

function unitedIn(database: Database): UnitedRows | null {
  return (
    (database
      .prepare(
        `SELECT source_table AS "table", rows, id_offset, first_source_id + id_offset AS first_id, last_source_id + id_offset AS last_id
         FROM main.${UNITED_ROWS_TABLE} ORDER BY number DESC LIMIT 1`,
      )
      .get() as UnitedRows | undefined) ?? null
  );
}
