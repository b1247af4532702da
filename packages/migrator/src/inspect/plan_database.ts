import { dirname } from "node:path";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../discover/discover.ts";
import { databaseReport } from "../report/new_reports.ts";
import type { DatabaseReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { Stop, stopOf } from "../stop.ts";
import { assertWritable } from "./check_access.ts";
import { diskNeed, freeBytes } from "./disk_need.ts";
import { type Inspection, inspectDatabase } from "./inspect_database.ts";
import { beginReading, openReadable, readablePlace } from "./read_copy.ts";

/** Says what `up` would do with one database. Cannot write: it reads through a connection that SQLite itself keeps from writing. */
export async function planDatabase(found: FoundDatabase, run: Run): Promise<DatabaseReport> {
  const report = databaseReport(found.path, found.bytes);
  try {
    await run.stage(found.path, "inspect", "reading the schema and counting rows");
    const inspection = await inspectFile(found, run);
    fill(report, inspection);
    report.status = statusOf(inspection, found);
    report.reason =
      found.refusal !== null && report.status === "refused"
        ? found.refusal
        : (inspection.refusal ?? inspection.layout.sentence ?? null);
    if (report.status === "planned") {
      assertWritable(found.path, run.settings.backupDir);
      checkDisk(report, found, inspection, run);
    }
  } catch (error) {
    const stop = stopOf(error, found.path);
    if (stop.status === "interrupted") throw stop;
    report.status = stop.status === "failed" ? "refused" : stop.status;
    report.reason = stop.message;
  }
  return report;
}

async function inspectFile(found: FoundDatabase, run: Run): Promise<Inspection> {
  const place = await readablePlace(found.path, found.wal, run.files, run.settings.busyTimeoutMs);
  try {
    const database = openReadable(place, found.path, run.settings.busyTimeoutMs);
    try {
      beginReading(database);
      assertSound(database);
      return inspectDatabase(database, run.settings);
    } finally {
      database.close();
    }
  } finally {
    place.remove();
  }
}

function assertSound(database: Database): void {
  const faults = database.prepare("PRAGMA quick_check(3)").pluck().all() as string[];
  if (faults[0] !== "ok")
    throw new Stop("refused", `The database is damaged (${faults.join("; ")}). Repair it first, or restore a copy.`);
}

/** Puts what was found into a report. */
export function fill(report: DatabaseReport, inspection: Inspection): void {
  report.layout = inspection.layout.name;
  report.layout_title = inspection.layout.title;
  report.tables = inspection.tables;
  report.odd_rows = inspection.odd;
  report.steps = inspection.conversion.steps.map(({ title }) => title);
  report.notes = inspection.notes;
}

function statusOf(inspection: Inspection, found: FoundDatabase): DatabaseReport["status"] {
  if (inspection.layout.treatment === "leave") return "left_alone";
  if (inspection.refusal !== null) return "refused";
  if (inspection.conversion.steps.length === 0) return "nothing_to_do";
  return found.refusal === null ? "planned" : "refused";
}

function checkDisk(report: DatabaseReport, found: FoundDatabase, inspection: Inspection, run: Run): void {
  const { backupDir } = run.settings;
  const builds = report.steps.some((title) => title.startsWith("build the index"));
  const disk = diskNeed(found.path, found.bytes, inspection.layout.treatment, builds, backupDir);
  report.disk = disk;
  const short =
    disk.free_bytes < disk.needed_bytes
      ? dirname(found.path)
      : backupDir !== null && freeBytes(backupDir) < found.bytes
        ? backupDir
        : null;
  if (short === null) return;
  report.status = "refused";
  report.reason = `Too little disk space in ${short}. Make room, or put the backup elsewhere with --backup-dir.`;
}
