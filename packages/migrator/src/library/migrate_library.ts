import { statSync } from "node:fs";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import type { HasSettings } from "../core/options.ts";
import type { Cleanup, Progress } from "../core/progress.ts";
import type { DatabaseReport } from "../core/report.ts";
import { Stop, stopOf } from "../core/stop.ts";
import { reportUnplanned } from "../database/inspect/examine.ts";
import { assertWritable } from "../io/access.ts";
import { type Backup, makeBackup } from "../io/backup.ts";
import type { Workers } from "../io/child/workers.ts";
import type { EarlyCopies } from "../io/early_copy.ts";
import { stampOfFile } from "../io/entries.ts";
import { assertOneName, libraryReport, fillLibraryReport } from "./library_report.ts";
import { backupOfLibrary, stateOf } from "./survey_library.ts";

/**
 * Repairs a pattern library in JSON so that version 16 reads it: makes a backup next to it, then replaces it
 * atomically.
 */
export async function migrateLibrary(
  report: DatabaseReport,
  run: Progress & HasSettings & Workers & Cleanup & EarlyCopies,
): Promise<void> {
  const { path } = report;
  let backup: Backup | null = null;
  try {
    const before = stampOfFile(path);
    const survey = fillLibraryReport(report, run);
    if (survey.pending !== null) throw new Stop("refused", survey.pending);
    const { repaired } = survey;
    if (repaired === undefined) {
      report.status = "nothing_to_do";
      return;
    }
    assertOneName(path);
    if (run.settings.rehearse) {
      report.status = "rehearsed";
      return;
    }
    await run.stage(path, "backup", "copying the library");
    backup = run.settings.backup ? await makeBackup(path, false, run) : null;
    await run.stage(path, "change", "replacing the library");
    assertUnchanged(path, before);
    writeFileAtomically(path, (write) => write(repaired));
    report.backup = backup === null ? null : { ...backup, bytes: statSync(backup.path).size };
    report.status = "migrated";
  } catch (error) {
    // Without a migration, a copy must not remain: it would count as the backup of one.
    if (backup?.reused === false) run.discard(backup.path);
    const stop = stopOf(error, path);
    report.status = stop.status;
    report.reason = stop.status === "failed" ? `${stop.message} The library was not changed.` : stop.message;
  }
}

/** @throws Stop if a program has saved the library since. */
function assertUnchanged(path: string, stamp: string): void {
  if (stampOfFile(path) === stamp) return;
  throw new Stop("in_use", "Another program has saved the library meanwhile. Stop it, then run this command again.");
}

/**
 * Plans `down` for a pattern library in JSON. Cannot write.
 *
 * @returns Undefined for a library that was never migrated.
 */
export async function planLibraryDowngrade(
  path: string,
  run: Progress & HasSettings,
): Promise<DatabaseReport | undefined> {
  const backup = backupOfLibrary(path, run);
  if (backup === undefined) return undefined;
  const report = libraryReport(path);
  try {
    await run.stage(path, "inspect", "comparing with the backup");
    switch (stateOf(path, backup)) {
      case "original":
        report.status = "nothing_to_do";
        break;
      case "repaired":
        assertOneName(path);
        assertWritable(path, run.settings.backupDir);
        report.status = "planned";
        report.steps = [`restore the original from ${backup}`];
        break;
      case "saved_since":
        report.status = "left_alone";
        report.reason = `A program has saved the library since the migration. Pre-16 programs can read it; the original is in ${backup}.`;
    }
  } catch (error) {
    reportUnplanned(report, error, run);
  }
  return report;
}

/** Restores the original of a pattern library, byte for byte. */
export async function restoreLibrary(report: DatabaseReport, run: Progress & HasSettings & Workers): Promise<void> {
  const { path } = report;
  try {
    await run.stage(path, "downgrade", "restoring the original");
    const backup = backupOfLibrary(path, run);
    const before = stampOfFile(path);
    if (backup === undefined || stateOf(path, backup) !== "repaired")
      throw new Stop("in_use", "The library or its backup changed meanwhile. Run this command again.");
    assertOneName(path);
    const bytes = readWhole(backup);
    assertUnchanged(path, before);
    writeFileAtomically(path, (write) => write(bytes));
    const sha256 = await run.files.hash(backup);
    report.backup = { path: backup, bytes: statSync(backup).size, sha256, reused: false, kept: true };
    report.status = "downgraded";
  } catch (error) {
    const stop = stopOf(error, path);
    report.status = stop.status;
    report.reason = stop.status === "failed" ? `${stop.message} The library was not changed.` : stop.message;
  }
}
