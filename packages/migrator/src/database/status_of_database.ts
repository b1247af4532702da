import { lstatSync } from "node:fs";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../core/discovery.ts";
import type { HasSettings } from "../core/options.ts";
import { atOnce, type Progress } from "../core/progress.ts";
import { type AssumedLevels, databaseReport, type DatabaseReport, type MergedRows } from "../core/report.ts";
import { Stop, stopOfFound } from "../core/stop.ts";
import type { Workers } from "../io/child/workers.ts";
import { backupsOf } from "../io/copy_database.ts";
import { whileReading } from "../io/readable_database.ts";
import { conversionOf } from "./migrate/conversion.ts";
import { countTables } from "./inspect/count_tables.ts";
import { countRows } from "./inspect/count_rows.ts";
import { isDamage, reasonOf } from "./inspect/examine.ts";
import { type Catalog, entryNamed } from "./sql/catalog.ts";
import { hasPatterns, recogniseDatabase } from "./layouts/known_layouts.ts";
import { type Layout, metricsTableOf } from "./layouts/layout.ts";
import type { MetricsTable } from "./layouts/metrics_table.ts";
import { TABLE_LAYOUTS } from "./layouts/table_layouts.ts";
import { isReadable, surveyPatterns } from "./patterns/survey_patterns.ts";
import { readRecords } from "./record/migration_record.ts";
import { ASSUMED_LEVELS, ASSUMED_LEVELS_TABLE, hasOwn, MERGED_ROWS, MERGED_ROWS_TABLE } from "./record/side_tables.ts";
import { orphanNotes } from "./record/orphan_notes.ts";

/**
 * Reports the present state of a database, its past migrations, and pending steps. Rows are counted; nothing is checked
 * or compared. Cannot write.
 *
 * @param reported The backup that an earlier report names.
 */
export async function statusOfDatabase(
  found: FoundDatabase,
  reported: string | undefined,
  run: Progress & HasSettings & Workers,
): Promise<DatabaseReport> {
  const report = databaseReport(found.path, found.bytes);
  try {
    await run.stage(found.path, "inspect", "reading the schema and counting rows");
    report.backups = existingBackups(found.path, reported, run);
    await whileReading(found, run, (database) => readStatus(database, found, report, run));
  } catch (error) {
    const stop = stopOfFound(error, found.path);
    if (stop.status === "interrupted") throw stop;
    report.status =
      stop.status === "in_use" ? "in_use" : isDamage(error) || stop.status === "refused" ? "refused" : "failed";
    report.reason = reasonOf(error, stop, found.path, run.settings);
  }
  return report;
}

function existingBackups(path: string, reported: string | undefined, run: HasSettings): DatabaseReport["backups"] {
  const { backupDir } = run.settings;
  const places = [null, ...(backupDir === null ? [] : [backupDir])];
  const named = places.flatMap((place) => (["v15", "v16"] as const).flatMap((line) => backupsOf(path, place, line)));
  return [...new Set([...named, ...(reported === undefined ? [] : [reported])])].flatMap((backup) => {
    const there = lstatSync(backup, { throwIfNoEntry: false });
    return there?.isFile() === true ? [{ path: backup, bytes: there.size }] : [];
  });
}

/** Puts the layout of a database and its numbers of rows into a report. */
export function readLayout(database: Database, report: DatabaseReport): { catalog: Catalog; layout: Layout } {
  const { catalog, layout } = recogniseDatabase(database);
  report.layout = layout.name;
  report.layout_title = layout.title;
  if (layout.treatment !== "leave" && layout.treatment !== "refuse") report.tables = countTables(database, catalog);
  return { catalog, layout };
}

function readStatus(database: Database, found: FoundDatabase, report: DatabaseReport, run: HasSettings): void {
  const { catalog, layout } = readLayout(database, report);
  if (layout.treatment === "leave" || layout.treatment === "refuse") {
    report.status = layout.treatment === "leave" ? "left_alone" : "refused";
    report.reason = layout.sentence ?? null;
    return;
  }
  addHistory(database, catalog, report);
  report.notes.push(...orphanNotes(database, found.path));
  if (layout.treatment !== "keep") report.status = "planned";
  else addSteps(database, catalog, layout, report, run);
  if (report.status !== "planned" || found.refusal === null) return;
  report.status = "refused";
  report.reason = found.refusal;
}

/** In a layout of 16, indexes can be missing, and other programs can have written invalid rows and patterns. */
function addSteps(
  database: Database,
  catalog: Catalog,
  layout: Layout,
  report: DatabaseReport,
  run: HasSettings,
): void {
  try {
    const table = metricsTableOf(catalog, layout);
    const rows = table === null ? null : atOnce(countRows(database, table));
    const blocked = rows?.blocked ?? 0;
    const patterns = hasPatterns(catalog) ? atOnce(surveyPatterns(database, run.settings)) : null;
    report.unusual_rows.push(...(rows?.unusual ?? []).filter(({ blocks }) => blocks), ...(patterns?.unusual ?? []));
    const { steps } = conversionOf(
      database,
      catalog,
      { layout, first: table === null ? null : { table, blocked }, second: null, patterns, levels: null },
      run.settings,
    );
    report.steps = steps.map(({ title }) => title);
    const isDone = steps.length === 0 && blocked === 0 && (patterns === null || isReadable(patterns));
    report.status = isDone ? "nothing_to_do" : "planned";
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    report.status = "refused";
    report.reason = error.message;
  }
}

/** Puts the migrations that the database records into a report. */
function addHistory(database: Database, catalog: Catalog, report: DatabaseReport): void {
  const records = readRecords(database);
  report.history = records.map(({ number, migrated_at, tool_version, layout, fence }) => ({
    number,
    migrated_at,
    tool_version,
    layout,
    fence,
  }));
  const last = records.at(-1);
  if (last === undefined) return;
  const view = last.fence === null ? undefined : fenceOf(last.former.second ?? last.former.metrics);
  if (view !== undefined && entryNamed(catalog, view) === undefined)
    report.notes.push(
      `the view ${view}, which the migration created, no longer exists: a pre-16 program could create a second metrics table`,
    );
  if (hasOwn(database, ASSUMED_LEVELS)) report.assumed_levels = assumedLevelsOf(database);
  if (hasOwn(database, MERGED_ROWS)) report.merged = mergedRowsOf(database);
}

/** Name of the view that takes the place of a table. */
function fenceOf(table: MetricsTable | null): string | undefined {
  return TABLE_LAYOUTS.find((layout) => layout.table === table?.name.toLowerCase())?.programs?.table;
}

/** For a range with rows of many users, only the number of rows is recorded. */
function assumedLevelsOf(database: Database): AssumedLevels[] {
  return database
    .prepare(
      `SELECT level, sum(rows) AS rows, iif(count(user_id) = count(*), count(DISTINCT user_id), NULL) AS users, source
       FROM main.${ASSUMED_LEVELS_TABLE} GROUP BY level, source ORDER BY source, level`,
    )
    .all() as AssumedLevels[];
}

function mergedRowsOf(database: Database): MergedRows | null {
  return (
    (database
      .prepare(
        `SELECT source_table AS "table", rows, id_offset, first_source_id + id_offset AS first_id, last_source_id + id_offset AS last_id
         FROM main.${MERGED_ROWS_TABLE} ORDER BY number DESC LIMIT 1`,
      )
      .get() as MergedRows | undefined) ?? null
  );
}
