import { statSync } from "node:fs";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { backupsOf } from "../databases/backup_place.ts";
import { dropFieldIndexes } from "../databases/indexes.ts";
import { metricsTableOf, secondTableOf } from "../databases/metrics_table.ts";
import type { FoundDatabase } from "../discover/discover.ts";
import { openReadable, type ReadablePlace, readablePlace } from "../inspect/read_copy.ts";
import { withReadable } from "../inspect/with_readable.ts";
import { type Catalog, readCatalog } from "../recognise/catalog.ts";
import { KNOWN_TABLES, type Layout } from "../recognise/layout.ts";
import { recognise } from "../recognise/recognise.ts";
import { databaseReport } from "../report/new_reports.ts";
import type { DatabaseReport, VerificationReport } from "../report/report.ts";
import { compareReverted, copyOfReversion } from "../revert/verify_reverted.ts";
import type { Run } from "../run/run.ts";
import { stopOf } from "../stop.ts";
import { changedSince } from "./changed_since.ts";
import { type BackupState, chooseBackup, isBefore16 } from "./choose_backup.ts";
import { proveDatabase } from "./prove_database.ts";
import { attachBackup } from "./subject.ts";

/**
 * Compares a migrated database with its backup from before 16. Neither is written to.
 *
 * @param isReported True when the report of an earlier run says that this database was migrated.
 */
export async function verifyDatabase(found: FoundDatabase, run: Run, isReported = false): Promise<DatabaseReport> {
  const report = databaseReport(found.path, found.bytes);
  await run.stage(found.path, "compare", "comparing every row with the backup");
  let place: ReadablePlace | undefined;
  try {
    place = await readablePlace(found.path, found.wal, run.files, run.settings.busyTimeoutMs);
    await compare(found, place, report, run, isReported);
  } catch (error) {
    const stop = stopOf(error, found.path);
    report.status = stop.status;
    report.reason = stop.message;
  } finally {
    place?.remove();
  }
  return report;
}

async function compare(
  found: FoundDatabase,
  place: ReadablePlace,
  report: DatabaseReport,
  run: Run,
  isReported: boolean,
): Promise<void> {
  const backups = backupsOf(found.path, run.settings.backupDir);
  try {
    const catalog = withReadable(place, found.path, run, (database) => readCatalog(database, KNOWN_TABLES));
    const layout = recognise(catalog);
    report.layout = layout.name;
    report.layout_title = layout.title;
    const newest = backups.at(-1);
    const reverted = isBefore16(layout) ? copyOfReversion(found.path, run.settings.backupDir) : undefined;
    if (reverted !== undefined) await compareReverted(found, place, reverted, report, run);
    else if (newest === undefined) notCompared(report, layout);
    else if (isBefore16(layout) && !isReported && !found.wal && (await run.files.same(found.path, newest)))
      notMigrated(report, newest);
    else if (layout.treatment !== "keep")
      differs(
        report,
        `It is not in a layout of version 16, but there is a backup of its migration: ${newest}. ${explanation(layout)}`,
      );
    else await compareWithBackup(found, place, { layout, catalog }, backups, report, run);
  } catch (error) {
    const stop = stopOf(error, found.path);
    if (stop.status !== "failed" || backups.length === 0) throw error;
    // There is a backup, so there was a database that could be read; and what cannot be read proves nothing.
    differs(report, `It cannot be compared with its backup ${report.backup?.path ?? backups.at(-1)}: ${stop.message}`);
  }
}

function explanation(layout: Layout): string {
  if (layout.treatment === "unite") return "It has two metrics tables; run up, which unites their rows.";
  if (!isBefore16(layout)) return "Another file seems to have been put in its place.";
  return "Either it was brought back and the copy that down kept (.v16.bak) is gone, or a run was killed before it changed anything and rows were recorded since, or an old file was put in its place. Run up to migrate it.";
}

function notCompared(report: DatabaseReport, layout: Layout): void {
  report.status = layout.treatment === "leave" ? "left_alone" : "not_compared";
  report.reason =
    layout.treatment === "keep"
      ? "There is no backup to compare it with."
      : (layout.sentence ?? "It is not migrated yet.");
}

/** A run that was killed before it changed anything leaves its copy. */
function notMigrated(report: DatabaseReport, copy: string): void {
  report.status = "not_compared";
  report.reason = `It is not migrated, and ${copy} is a copy of it as it is; up uses that as its backup.`;
}

function differs(report: DatabaseReport, reason: string): void {
  report.status = "differs";
  report.reason = reason;
}

async function compareWithBackup(
  found: FoundDatabase,
  place: ReadablePlace,
  now: { layout: Layout; catalog: Catalog },
  backups: readonly string[],
  report: DatabaseReport,
  run: Run,
): Promise<void> {
  const chosen = chooseBackup(backups, now, (path) => withReadable({ path }, path, run, beforeMigration));
  if ("reason" in chosen) return differs(report, chosen.reason);
  const { path: backup, state } = chosen;
  const sha256 = await run.files.hash(backup);
  report.backup = { path: backup, bytes: statSync(backup).size, sha256, reused: false, kept: true };
  if (state.before !== null && now.layout.name !== "documented-16")
    return differs(report, `The table interactions is gone; the backup ${backup} has it.`);
  report.verification = await proveBy(backup, state, found, place, run);
  const { recordIsGone, notes } = withReadable(place, found.path, run, changedSince);
  report.notes.push(...notes);
  if (recordIsGone && state.before !== null)
    report.verification.differences.push(
      "the table perdura_migration tells of no migration any more: without it there is no way back but the backup",
    );
  report.status = report.verification.differences.length === 0 ? "verified" : "differs";
}

async function proveBy(
  backup: string,
  { before, second, dropped }: BackupState,
  { path }: FoundDatabase,
  place: ReadablePlace,
  run: Run,
): Promise<VerificationReport> {
  const database = openReadable(place, path, run.settings.busyTimeoutMs);
  try {
    attachBackup(database, backup);
    const step = { path, stage: "compare", detail: "comparing every row with the backup" } as const;
    return await run.inPieces(step, proveDatabase({ before, second, dropped, database, later: true }));
  } finally {
    database.close();
  }
}

function beforeMigration(database: Database): BackupState {
  const catalog = readCatalog(database, KNOWN_TABLES);
  const layout = recognise(catalog);
  return {
    layout,
    before: metricsTableOf(catalog, layout),
    second: secondTableOf(catalog, layout),
    dropped: dropFieldIndexes(database, catalog).names,
  };
}
