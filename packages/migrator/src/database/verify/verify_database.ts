import { statSync } from "node:fs";
import { countText } from "@perdura/cli/quantities.js";
import { auditRollup } from "@perdura/internals/metrics/rollup/audit.js";
import { INTERACTION_INDEXES, type LevelColumn } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../../core/discovery.ts";
import type { HasSettings } from "../../core/options.ts";
import type { Progress } from "../../core/progress.ts";
import { databaseReport, type DatabaseReport, type VerificationReport } from "../../core/report.ts";
import { stopOf } from "../../core/stop.ts";
import type { Workers } from "../../io/child/workers.ts";
import { backupsOf, existing } from "../../io/copy_database.ts";
import { isBackupOf16 } from "../../io/own_files.ts";
import { openReadable, readablePlace, type ReadablePlace, withReadable } from "../../io/readable_database.ts";
import { compareDowngraded, backupOfDowngrade } from "../downgrade/proof/prove_downgrade.ts";
import { formerIndexes } from "../migrate/indexes.ts";
import { isDamage } from "../inspect/examine.ts";
import { readCatalog, type SchemaEntry } from "../sql/catalog.ts";
import { recognise } from "../layouts/known_layouts.ts";
import { metricsTableOf, secondTableOf } from "../layouts/layout.ts";
import { knownTables } from "../layouts/table_layouts.ts";
import { orphanNotes } from "../record/orphan_notes.ts";
import { nextNumber, readRecords } from "../record/migration_record.ts";
import {
  reportMissingBackup,
  type BackupState,
  chooseBackup,
  reportDifference,
  isBefore16,
  reportNotCompared,
  reportNotMigrated,
  reportOtherLine,
  reportNotIn16,
} from "./choose_backup.ts";
import { attachBackup } from "../proof/comparison.ts";
import { notesOnUnreadable } from "../proof/unreadable_tables.ts";
import { proveDatabase, unreadablePatterns } from "../proof/prove_database.ts";
import { countRows, type RowCount } from "../inspect/count_rows.ts";

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
    const isDowngraded = await compare(found, place, report, run, reported, named);
    // Missing or unreadable rows take precedence; a downgrade returns rows that version 16 cannot hold.
    if (report.layout !== null && !isDowngraded) await readAs16(found, place, report, run);
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
async function compare(
  found: FoundDatabase,
  place: ReadablePlace,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers,
  reported: string | undefined,
  named: readonly string[],
): Promise<boolean> {
  const [copies, originals] = [named.filter(isBackupOf16), named.filter((path) => !isBackupOf16(path))];
  const beside = originals.length > 0 ? originals : backupsOf(found.path, run.settings.backupDir);
  const noted = existing(reported);
  // A backup in a backup directory that was not specified this time is found through the report.
  const backups = beside.length === 0 && noted !== undefined ? [noted] : beside;
  try {
    const catalog = withReadable(place, found.path, run, (database) => readCatalog(database, knownTables()));
    const layout = recognise(catalog);
    report.layout = layout.name;
    report.layout_title = layout.title;
    const newest = backups.at(-1);
    const records = withReadable(place, found.path, run, (database) => readRecords(database));
    const isOld = isBefore16(layout) || (layout.treatment === "keep" && records.length === 0);
    const copy = isOld ? (copies.at(-1) ?? backupOfDowngrade(found.path, run.settings.backupDir)) : undefined;
    if (!isOld && copies.length > 0 && originals.length === 0) reportOtherLine(report, copies.at(-1) as string);
    else if (copy !== undefined) await compareDowngraded(found, place, copy, report, run);
    else if (newest === undefined && reported !== undefined && layout.treatment === "keep")
      reportMissingBackup(report, reported);
    else if (newest === undefined) reportNotCompared(report, layout);
    else if (isBefore16(layout) && reported === undefined && !found.wal && (await run.files.same(found.path, newest)))
      reportNotMigrated(report, newest);
    else if (layout.treatment !== "keep") reportNotIn16(report, layout, newest);
    else await compareWithBackup(found, place, { layout, catalog, records }, backups, report, run);
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
async function readAs16(
  { path }: FoundDatabase,
  place: ReadablePlace,
  report: DatabaseReport,
  run: Progress & HasSettings,
): Promise<void> {
  const database = openReadable(place, path, run.settings.busyTimeoutMs);
  try {
    const catalog = readCatalog(database, knownTables());
    const layout = recognise(catalog);
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

async function compareWithBackup(
  found: FoundDatabase,
  place: ReadablePlace,
  now: Parameters<typeof chooseBackup>[1],
  backups: readonly string[],
  report: DatabaseReport,
  run: Progress & HasSettings & Workers,
): Promise<void> {
  const chosen = chooseBackup(backups, now, (path) => withReadable({ path }, path, run, beforeMigration));
  if ("reason" in chosen) return reportDifference(report, chosen.reason);
  const { path: backup, state } = chosen;
  const sha256 = await run.files.hash(backup);
  report.backup = { path: backup, bytes: statSync(backup).size, sha256, reused: false, kept: true };
  if (state.before !== null && now.layout.name !== "documented-16")
    return reportDifference(report, `The table interactions does not exist; the backup ${backup} contains its rows.`);
  const { verification, changed } = await proveBy(backup, state, found, place, run);
  report.verification = verification;
  report.notes.push(...changed.notes);
  if (changed.recordIsGone && state.before !== null)
    verification.differences.push(
      "the table perdura_migration has no record of the migration any more: down is not possible without it, only the backup restores the pre-16 layout",
    );
  report.status = verification.differences.length === 0 ? "verified" : "differs";
}

async function proveBy(
  backup: string,
  { before, second, dropped }: BackupState,
  { path }: FoundDatabase,
  place: ReadablePlace,
  run: Progress & HasSettings,
): Promise<{ verification: VerificationReport; changed: ChangedSince }> {
  const database = openReadable(place, path, run.settings.busyTimeoutMs);
  try {
    attachBackup(database, backup);
    const step = { path, stage: "compare", detail: "comparing every row with the backup" } as const;
    const changed = changedSince(database);
    changed.notes.push(...notesOnUnreadable(database));
    const proof = proveDatabase({ before, second, dropped, written: new Set(), database, later: true });
    return { verification: await run.inPieces(step, proof), changed };
  } finally {
    database.close();
  }
}

function beforeMigration(database: Database): BackupState {
  const catalog = readCatalog(database, knownTables());
  const layout = recognise(catalog);
  return {
    layout,
    before: metricsTableOf(catalog, layout),
    second: secondTableOf(catalog, layout),
    dropped: formerIndexes(database, catalog, layout),
    number: nextNumber(database),
  };
}

/** Missing objects of a migrated database, although every row exists. */
interface ChangedSince {
  /** True if the record is missing: then a downgrade needs the backup. */
  recordIsGone: boolean;
  /** Notes on indexes, views, triggers and tables that were dropped or created again since. */
  notes: string[];
}

/** Compares the schema of a database with the record of its last migration. */
function changedSince(database: Database): ChangedSince {
  const last = readRecords(database).at(-1);
  if (last === undefined) return { recordIsGone: true, notes: [] };
  const now = new Map(entriesIn(database).map((entry) => [keyOf(entry), entry.sql]));
  const was = last.result.objects.filter(({ name }) => !name.startsWith("sqlite_"));
  const gone = was.filter((entry) => !now.has(keyOf(entry)));
  const other = was.filter((entry) => now.has(keyOf(entry)) && now.get(keyOf(entry)) !== entry.sql);
  return {
    recordIsGone: false,
    notes: [
      ...(gone.length === 0 ? [] : [`missing since the migration: ${gone.map(nameOf).join(", ")}${advice(gone)}`]),
      ...(other.length === 0 ? [] : [`changed since the migration: ${other.map(nameOf).join(", ")}`]),
    ],
  };
}

function advice(gone: readonly SchemaEntry[]): string {
  return gone.some(({ name }) => name in INTERACTION_INDEXES) ? "; run up to build the specified indexes again" : "";
}

const keyOf = ({ type, name }: Pick<SchemaEntry, "type" | "name">): string => `${type} ${name.toLowerCase()}`;

const nameOf = ({ type, name }: SchemaEntry): string => `the ${type} ${name}`;

function entriesIn(database: Database): SchemaEntry[] {
  return database.prepare('SELECT type, name, tbl_name AS "table", sql FROM main.sqlite_schema').all() as SchemaEntry[];
}

/**
 * Compares the sums from which perdura answers statistics with the rows; a note reports that they agree. They are
 * derived from the rows, so a difference loses no data, but answers would be wrong.
 */
function auditStatistics(database: Database, report: DatabaseReport): void {
  const columns = database.prepare("SELECT name FROM pragma_table_info('interactions', 'main')").pluck().all();
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
