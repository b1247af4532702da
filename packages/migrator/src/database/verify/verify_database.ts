import { countText } from "@perdura/cli/quantities.js";
import { auditRollup } from "@perdura/internals/metrics/rollup/audit.js";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../../core/discovery.ts";
import { recogniseDatabase } from "../layouts/known_layouts.ts";
import type { HasSettings } from "../../core/options.ts";
import type { Progress } from "../../core/progress.ts";
import { databaseReport, type DatabaseReport } from "../../core/report.ts";
import { stopOf } from "../../core/stop.ts";
import type { Workers } from "../../io/child/workers.ts";
import { backupsOf, existing } from "../../io/copy_database.ts";
import { isBackupOf16 } from "../../io/own_files.ts";
import { openReadable, readablePlace, type ReadablePlace, withReadable } from "../../io/readable_database.ts";
import { countRows, type RowCount } from "../inspect/count_rows.ts";
import { isDamage } from "../inspect/examine.ts";
import { metricsTableOf } from "../layouts/layout.ts";
import { unreadablePatterns } from "../proof/prove_database.ts";
import { readRecords } from "../record/migration_record.ts";
import { orphanNotes } from "../record/orphan_notes.ts";
import { columnsOfTable } from "../sql/catalog.ts";
import {
  isBefore16,
  reportDifference,
  reportMissingBackup,
  reportNotCompared,
  reportNotIn16,
  reportNotMigrated,
  reportOtherLine,
} from "./choose_backup.ts";
import { backupOfDowngrade, compareDowngraded } from "./compare_downgraded.ts";
import { compareMigrated } from "./compare_migrated.ts";
import type { Comparing } from "./comparing.ts";

/**
 * Compares a migrated database with its pre-16 backup. Writes to neither.
 *
 * @param reported The backup that an earlier report names, which proves that this database was migrated.
 * @param named The backups to compare with, if the caller named some.
 */
export async function verifyDatabase(
  found: FoundDatabase,
  run: Progress & HasSettings & Workers,
  reported?: string,
  named: readonly string[] = [],
): Promise<DatabaseReport> {
  const report = databaseReport(found.path, found.bytes);
  await run.stage(found.path, "compare", "comparing every row with the backup");
  let place: ReadablePlace | undefined;
  try {
    place = await readablePlace(found.path, found.wal, run.files, run.settings.busyTimeoutMs);
    const comparing: Comparing = { found, place, report, run };
    const isDowngraded = await compare(comparing, reported, named);
    // Missing or unreadable rows take precedence; a downgrade returns rows that version 16 cannot hold.
    if (report.layout !== null && !isDowngraded) await readAs16(comparing);
    if (report.status !== "differs")
      withReadable(place, found.path, run, (database) => {
        auditStatistics(database, report);
        report.notes.push(...orphanNotes(database, found.path));
      });
  } catch (error) {
    const stop = stopOf(error, found.path);
    report.status = isDamage(error) ? "refused" : stop.status;
    report.reason = stop.message;
  } finally {
    place?.remove();
  }
  return report;
}

/** @returns True if the database was compared as one that `down` downgraded. */
async function compare(comparing: Comparing, reported: string | undefined, named: readonly string[]): Promise<boolean> {
  const { found, place, report, run } = comparing;
  const [copies, originals] = [named.filter(isBackupOf16), named.filter((path) => !isBackupOf16(path))];
  const beside = originals.length > 0 ? originals : backupsOf(found.path, run.settings.backupDir);
  const noted = existing(reported);
  // A backup in a backup directory that was not specified this time is found through the report.
  const backups = beside.length === 0 && noted !== undefined ? [noted] : beside;
  try {
    const { catalog, layout } = withReadable(place, found.path, run, recogniseDatabase);
    report.layout = layout.name;
    report.layout_title = layout.title;
    const newest = backups.at(-1);
    const records = withReadable(place, found.path, run, (database) => readRecords(database));
    const isOld = isBefore16(layout) || (layout.treatment === "keep" && records.length === 0);
    const copy = isOld ? (copies.at(-1) ?? backupOfDowngrade(found.path, run.settings.backupDir)) : undefined;
    if (!isOld && copies.length > 0 && originals.length === 0) reportOtherLine(report, copies.at(-1) as string);
    else if (copy !== undefined) await compareDowngraded(comparing, copy);
    else if (newest === undefined && reported !== undefined && layout.treatment === "keep")
      reportMissingBackup(report, reported);
    else if (newest === undefined) reportNotCompared(report, layout);
    else if (isBefore16(layout) && reported === undefined && !found.wal && (await run.files.same(found.path, newest)))
      reportNotMigrated(report, newest);
    else if (layout.treatment !== "keep") reportNotIn16(report, layout, newest);
    else await compareMigrated(comparing, { layout, catalog, records }, backups);
    return copy !== undefined;
  } catch (error) {
    const stop = stopOf(error, found.path);
    if (stop.status !== "failed" || backups.length === 0) throw error;
    // A backup exists, so the database was readable once; an unreadable one counts as different.
    reportDifference(
      report,
      `Cannot compare the database with its backup ${report.backup?.path ?? backups.at(-1)}: ${stop.message}`,
    );
    return false;
  }
}

/**
 * Reads a database in a layout of 16 as version 16 does: it differs if another program wrote rows that version 16 cannot
 * hold, and one that was not compared must have readable patterns.
 */
async function readAs16({ found: { path }, place, report, run }: Comparing): Promise<void> {
  const database = openReadable(place, path, run.settings.busyTimeoutMs);
  try {
    const { catalog, layout } = recogniseDatabase(database);
    if (layout.treatment !== "keep") return;
    const step = { path, stage: "compare" } as const;
    if (report.status === "not_compared") {
      const faults = await run.inPieces({ ...step, detail: "reading every pattern" }, unreadablePatterns(database));
      if (faults.length > 0) reportDifference(report, `${capital(faults.join("; "))}.`);
    }
    const table = metricsTableOf(catalog, layout);
    if (table === null) return;
    const counted = await run.inPieces({ ...step, detail: "looking for invalid rows" }, countRows(database, table));
    reportInvalidRows(report, counted);
  } finally {
    database.close();
  }
}

function reportInvalidRows(report: DatabaseReport, { unusual, blocked }: RowCount): void {
  if (blocked === 0) return;
  report.unusual_rows.push(...unusual.filter(({ blocks }) => blocks));
  const found = `version 16 cannot read ${countText(blocked, "row")} of interactions, which another program wrote; plan shows the ways out`;
  if (report.verification === null) return reportDifference(report, `${capital(found)}.`);
  report.verification.differences.push(found);
  report.status = "differs";
}

const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/**
 * Compares the sums from which perdura answers statistics with the rows; a note reports that they agree. They are
 * derived from the rows, so a difference loses no data, but answers would be wrong.
 */
function auditStatistics(database: Database, report: DatabaseReport): void {
  const columns = columnsOfTable(database, "interactions");
  const levelColumn = (["level", "empathy_level"] satisfies LevelColumn[]).find((name) => columns.includes(name));
  const audit = levelColumn === undefined ? undefined : auditRollup(database, levelColumn);
  if (audit === undefined) return;
  const { users, differences } = audit;
  if (differences.length === 0) {
    report.notes.push(`the rollup agrees with the rows, for ${countText(users, "user")}`);
    return;
  }
  const found = `${differences.join("; ")}. Run DROP TABLE perdura_rollup to make perdura compute the rollup again`;
  if (report.verification === null) report.reason = `The rollup is wrong: ${found}.`;
  else report.verification.differences.push(found);
  report.status = "differs";
}
