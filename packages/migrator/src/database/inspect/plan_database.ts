import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../../core/discovery.ts";
import type { HasSettings } from "../../core/options.ts";
import type { Cleanup, Progress } from "../../core/progress.ts";
import { databaseReport, type DatabaseReport } from "../../core/report.ts";
import { assertCopyNameable, assertPlace, assertWritable, diskShortage } from "../../io/access.ts";
import type { Workers } from "../../io/child/workers.ts";
import { stampOf, temporaryCopy } from "../../io/copy_database.ts";
import { beginEarlyCopy, dropEarlyCopy, type EarlyCopies } from "../../io/early_copy.ts";
import { whileReading } from "../../io/readable_database.ts";
import { temporaryShortage } from "../../io/temporary_space.ts";
import { diskNeed } from "../change_in_place.ts";
import { attachLevels, type NamedLevelFile, withLevelFile } from "../levels/level_file.ts";
import type { ReadLevels } from "../levels/level_source.ts";
import { type Recognised, recogniseDatabase } from "../layouts/known_layouts.ts";
import { examine, reportUnplanned } from "./examine.ts";
import { inspectDatabase, type Inspection } from "./inspect_database.ts";
import { levelCopiesOf } from "../levels/level_copies.ts";
import { withFiles } from "../levels/missing_levels_text.ts";

/** Plans `up` for one database. Cannot write: SQLite itself prevents writes through the connection. */
export async function planDatabase(found: FoundDatabase, run: DatabaseRun): Promise<DatabaseReport> {
  const report = databaseReport(found.path, found.bytes);
  try {
    await run.stage(found.path, "inspect", "reading the schema and counting rows");
    const inspection = await withLevelFile(run, (file) =>
      whileReading(found, run, (database, path) => inspectFile(database, path, found, run, file)),
    );
    fill(report, inspection);
    report.status = statusOf(inspection, found);
    report.reason = inspection.refusal ?? inspection.layout.sentence ?? null;
    if (found.refusal !== null && report.status === "refused") {
      report.reason = found.refusal;
      // No decision would let `up` continue.
      report.decisions = [];
    }
    if (report.status === "planned") {
      const { backupDir, rehearse } = run.settings;
      if (!rehearse) assertWritable(found.path, backupDir);
      else if (backupDir !== null) assertPlace(backupDir);
      assertCopyNameable(temporaryCopy(found.path, run, "v15"));
      checkDisk(report, found, inspection, run);
    }
  } catch (error) {
    await dropEarlyCopy(found.path, run);
    reportUnplanned(report, error, run);
  }
  return report;
}

async function inspectFile(
  database: Database,
  path: string,
  found: FoundDatabase,
  run: DatabaseRun,
  levelFile: NamedLevelFile | null,
): Promise<Inspection> {
  const inPlace = path === found.path;
  const intent = inPlace ? "copy" : "read";
  const stamp = inPlace ? await stampOf(path, run) : null;
  const recognised = recogniseDatabase(database);
  if (inPlace && isToChange(recognised)) await beginEarlyCopy(path, found.bytes, run);
  const counts = await examine(database, recognised, { path, intent, shownAs: found.path }, run);
  attachLevels(database, levelFile);
  const inspection = await withLevelCopies(
    inspectDatabase(database, run.settings, run.askLevels, counts, levelFile),
    { database: path, path: found.path },
    run,
  );
  run.inspected.set(found.path, { stamp, found: inspection });
  await waitForCopy(found, inspection, run);
  return inspection;
}

/** Adds other databases that have the missing levels; they are searched only for a pending decision. */
async function withLevelCopies(
  inspection: Inspection,
  place: { database: string; path: string },
  run: HasSettings & Workers,
): Promise<Inspection> {
  const { levels } = inspection;
  const rows = [inspection.metrics, inspection.second].find((table) => table?.names.level === null);
  if (levels === null || levels.missing === null || rows === null || rows === undefined) return inspection;
  const files = await levelCopiesOf({ ...place, rows }, run);
  return { ...inspection, levels: { ...levels, missing: withFiles(levels.missing, files) } };
}

function isToChange({ layout }: Recognised): boolean {
  return ["rename", "convert", "merge"].includes(layout.treatment);
}

/** Until then the caller's transaction prevents writes by other processes. */
async function waitForCopy(
  found: FoundDatabase,
  inspection: Inspection,
  run: Workers & Cleanup & EarlyCopies,
): Promise<void> {
  if (statusOf(inspection, found) === "planned") await run.earlyCopies.get(found.path)?.made;
  else await dropEarlyCopy(found.path, run);
}

/** Puts the findings into a report. */
export function fill(report: DatabaseReport, inspection: Inspection): void {
  report.layout = inspection.layout.name;
  report.layout_title = inspection.layout.title;
  report.tables = inspection.tables;
  report.unusual_rows = inspection.unusual;
  report.pattern_choices = inspection.patterns?.choices ?? [];
  report.missing_levels = inspection.levels?.missing ?? null;
  report.decisions = inspection.refusal === null ? [] : inspection.decisions;
  report.assumed_levels = inspection.levels?.assumed ?? [];
  report.merged = inspection.conversion.merged;
  report.steps = inspection.conversion.steps.map(({ title }) => title);
  report.notes = inspection.notes;
}

function statusOf(inspection: Inspection, found: FoundDatabase): DatabaseReport["status"] {
  if (inspection.refusal !== null) return "refused";
  if (inspection.layout.treatment === "leave") return "left_alone";
  if (inspection.conversion.steps.length === 0) return "nothing_to_do";
  return found.refusal === null ? "planned" : "refused";
}

function checkDisk(report: DatabaseReport, found: FoundDatabase, inspection: Inspection, run: HasSettings): void {
  const { backupDir, rehearse } = run.settings;
  const builds = inspection.conversion.steps.some(({ kind }) => kind === "build-index");
  const { layout, metrics } = inspection;
  // Converted values are rewritten in place, like the rows of a field layout.
  const treatment =
    layout.treatment === "rename" && (metrics?.otherTypes.length ?? 0) > 0 ? "convert" : layout.treatment;
  const disk = diskNeed(found.path, found.bytes, treatment, builds, backupDir, rehearse);
  report.disk = disk;
  const shortage =
    diskShortage(disk, found.bytes, backupDir) ?? temporaryShortage(found.bytes, disk.path, disk.needed_bytes);
  if (shortage === null) return;
  report.status = "refused";
  report.reason = shortage;
}

/** Part of a run: its inspections. Each database is inspected once, unless it changes. */
export interface Inspections {
  /** Keyed by path. */
  readonly inspected: Map<string, Seen<Inspection>>;
  /** Reads the levels in the collaboration states that were found. */
  askLevels: ReadLevels;
}

/** Findings about a database at one time. */
export interface Seen<Found> {
  /** Differs after every change of the database; null if changes cannot be detected. */
  stamp: string | null;
  found: Found;
}

/**
 * Returns earlier findings about a database if it is unchanged. The caller's transaction prevents writes by other
 * processes.
 *
 * @returns Undefined if it changed, and with a write-ahead log: the header of the file does not count changes in the
 *   log.
 */
export async function foundBefore<Found>(
  seen: Seen<Found> | undefined,
  path: string,
  run: Workers,
): Promise<Found | undefined> {
  if (seen === undefined || seen.stamp === null) return undefined;
  return seen.stamp === (await stampOf(path, run)) ? seen.found : undefined;
}

/** Parts of a run that work on a whole database needs. */
export type DatabaseRun = Progress & HasSettings & Workers & Cleanup & Inspections & EarlyCopies;
