import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "../sql/sql_text.ts";
import { forecastOnTwin } from "../inspect/forecast.ts";
import { type Catalog, readCatalog } from "../layouts/catalog.ts";
import { KNOWN_TABLES, type Layout } from "../layouts/layout.ts";
import { recognise } from "../layouts/recognise.ts";
import { DamagedRecord, type MigrationRecord, readRecords } from "../record/migration_record.ts";
import { type DatabaseReport, databaseReport } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import { type Reversion, reversionOf } from "./reversion.ts";
import type { Workers } from "../../io/child/workers.ts";
import type { HasSettings, Progress } from "../../core/run.ts";
import type { FoundDatabase } from "../../core/discovery.ts";
import { assertWritable } from "../../io/access.ts";
import type { Seen } from "../inspect/inspections.ts";
import { stampOf } from "../../io/copy_database.ts";
import { diskNeed } from "../inspect/disk_need.ts";
import { diskShortage } from "../../io/disk_space.ts";
import { assertSound, noteUnplanned } from "../inspect/sound.ts";
import { whileReading } from "../../io/readable_database.ts";

/** What `down` finds in a database. */
export interface ReversionInspection {
  layout: Layout;
  records: MigrationRecord[];
  tables: { table: string; rows: number }[];
  /** Undefined where there is nothing to undo, or nothing can be undone. */
  reversion: Reversion | undefined;
  notes: string[];
  /** Why it cannot be undone, or null. */
  refusal: string | null;
}

/** What a run that reverts knows of its databases, by path; see {@link Inspections}. */
export interface Reversions {
  readonly reversions: Map<string, Seen<ReversionInspection>>;
}

/** Looks at a database through an open connection; changes nothing. Also called inside the transaction that changes it. */
export function inspectReversion(database: Database): ReversionInspection {
  const catalog = readCatalog(database, KNOWN_TABLES);
  const found = { layout: recognise(catalog), records: readRecords(database), tables: countTables(database, catalog) };
  try {
    const reversion = reversionOf(database, catalog);
    const { refusal, notes } = forecastOnTwin(catalog, reversion?.steps ?? []);
    return { ...found, reversion, notes: [...(reversion?.notes ?? []), ...notes], refusal };
  } catch (error) {
    if (!(error instanceof Stop) || error instanceof DamagedRecord) throw error;
    return { ...found, reversion: undefined, notes: [], refusal: error.message };
  }
}

function countTables(database: Database, catalog: Catalog): ReversionInspection["tables"] {
  const tables = ["interactions", "interaction_metadata", "metrics", "patterns", "perdura_quarantine"];
  return tables
    .filter((table) => catalog.columns.has(table))
    .map((table) => ({
      table,
      rows: database
        .prepare(`SELECT count(*) FROM main.${sqlName(table)}`)
        .pluck()
        .get() as number,
    }));
}

/** Puts what was found into a report. */
export function fillReversion(report: DatabaseReport, inspection: ReversionInspection): void {
  const { layout, records, reversion } = inspection;
  report.layout = layout.name;
  report.layout_title = layout.title;
  report.tables = inspection.tables;
  report.history = records.map(({ former: _former, result: _result, ...past }) => past);
  report.steps = reversion === undefined ? [] : [...reversion.steps, reversion.finish].map(({ title }) => title);
  report.notes = inspection.notes;
}

/** Says what `down` would do with one database. Cannot write, as {@link planDatabase} cannot. */
export async function planReversion(
  found: FoundDatabase,
  run: Progress & HasSettings & Workers & Reversions,
): Promise<DatabaseReport> {
  const report = databaseReport(found.path, found.bytes);
  try {
    await run.stage(found.path, "inspect", "reading the schema and the records of migrations");
    const inspection = await whileReading(found, run, async (database, path) => {
      const stamp = path === found.path ? await stampOf(path, run) : null;
      assertSound(database);
      const seen = { stamp, found: inspectReversion(database) };
      run.reversions.set(found.path, seen);
      return seen.found;
    });
    fillReversion(report, inspection);
    decide(report, inspection, found);
    if (report.status === "planned") assertRoom(report, found, inspection, run);
  } catch (error) {
    noteUnplanned(report, error, run);
  }
  return report;
}

function decide(report: DatabaseReport, { layout, records, refusal }: ReversionInspection, found: FoundDatabase): void {
  if (records.length === 0 && refusal === null) {
    report.status = layout.treatment === "keep" || layout.treatment === "leave" ? "left_alone" : "nothing_to_do";
    report.reason =
      layout.treatment === "leave"
        ? (layout.sentence ?? null)
        : layout.treatment === "keep"
          ? "It tells of no migration: a program of version 16 made it, or it needed none. It is left as it is."
          : "It is in a layout of before 16.";
    return;
  }
  const reason = refusal ?? found.refusal;
  report.status = reason === null ? "planned" : "refused";
  report.reason = reason;
}

function assertRoom(
  report: DatabaseReport,
  found: FoundDatabase,
  { reversion }: ReversionInspection,
  run: HasSettings,
): void {
  const { backupDir } = run.settings;
  assertWritable(found.path, backupDir);
  const treatment = reversion?.form.rebuilds === true ? "convert" : "rename";
  const disk = diskNeed(found.path, found.bytes, treatment, false, backupDir);
  report.disk = disk;
  const shortage = diskShortage(disk, found.bytes, backupDir);
  if (shortage !== null) throw new Stop("refused", shortage);
}
