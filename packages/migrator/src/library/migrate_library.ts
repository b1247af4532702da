import { statSync } from "node:fs";
import { countText } from "@perdura/cli/quantities.js";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import type { HasSettings } from "../core/options.ts";
import type { Cleanup, Progress } from "../core/progress.ts";
import type { DatabaseReport } from "../core/report.ts";
import { Stop, stopOf } from "../core/stop.ts";
import { reportUnplanned } from "../database/inspect/examine.ts";
import { assertWritable } from "../io/access.ts";
import { type Backup, makeBackup } from "../io/backup.ts";
import type { Workers } from "../io/child/workers.ts";
import { bytesOfFile, type DocumentBytes } from "../io/document_bytes.ts";
import type { EarlyCopies } from "../io/early_copy.ts";
import { stampOfFile } from "../io/entries.ts";
import { assertReplaceable, libraryReport, fillLibraryReport } from "./library_report.ts";
import { backupOfLibrary, compareLibrary } from "./compare_library.ts";

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
    assertReplaceable(path);
    if (run.settings.rehearse) {
      report.status = "rehearsed";
      return;
    }
    await run.stage(path, "backup", "copying the library");
    backup = run.settings.backup ? await makeBackup(path, false, run) : null;
    await run.stage(path, "change", "replacing the library");
    replaceUnchanged(path, before, repaired);
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

/** @throws Stop if a program has saved the library since; then it is not replaced. */
function replaceUnchanged(path: string, stamp: string, content: DocumentBytes): void {
  assertUnchanged(path, stamp);
  writeFileAtomically(path, (write) => {
    for (const piece of content.pieces()) write(piece);
    assertUnchanged(path, stamp);
  });
}

function assertUnchanged(path: string, stamp: string): void {
  if (stampOfFile(path) === stamp) return;
  throw new Stop("in_use", "Another program has saved the library meanwhile. Stop it, then run this command again.");
}

/**
 * Plans `down` for a pattern library in JSON. Cannot write.
 *
 * @param reported The backup that an earlier report names.
 * @returns Undefined for a library that was never migrated.
 */
export async function planLibraryDowngrade(
  path: string,
  run: Progress & HasSettings,
  reported: string | undefined,
): Promise<DatabaseReport | undefined> {
  const backup = backupOfLibrary(path, run, reported);
  if (backup === undefined) return undefined;
  const report = libraryReport(path);
  try {
    await run.stage(path, "inspect", "comparing with the backup");
    const { steps, notes, content } = wayBack(path, backup);
    if (content === undefined) {
      report.status = notes.length === 0 ? "nothing_to_do" : "left_alone";
      if (notes.length > 0) report.reason = `${sentence(notes)} The original is in ${backup}.`;
      return report;
    }
    assertReplaceable(path);
    assertWritable(path, run.settings.backupDir);
    report.status = "planned";
    report.steps = steps;
    report.notes = notes;
  } catch (error) {
    reportUnplanned(report, error, run);
  }
  return report;
}

/** The result of `down` for a library. */
interface WayBack {
  steps: string[];
  /** Parts that are not restored. */
  notes: string[];
  /** The library afterwards; undefined if nothing is to be done. */
  content: DocumentBytes | undefined;
  /** True if the content is that of the backup, so that nothing else is lost. */
  isOriginal: boolean;
}

function wayBack(path: string, backup: string): WayBack {
  const compared = compareLibrary(path, backup);
  if (compared.state === "original") return { steps: [], notes: [], content: undefined, isOriginal: true };
  if (compared.state === "repaired")
    return {
      steps: [`restore the original from ${backup}`],
      notes: [],
      content: bytesOfFile(backup),
      isOriginal: true,
    };
  const since = compared.since();
  if (since === undefined)
    return { steps: [], notes: ["a program has replaced the library"], content: undefined, isOriginal: false };
  const { restored: content, returning, repaired, changed, notes } = since;
  return {
    steps: [
      ...(returning > 0 ? [`bring ${countText(returning, "pattern")} back from ${backup}`] : []),
      ...(repaired > 0 ? [`restore ${countText(repaired, "value")} from ${backup}`] : []),
    ],
    notes: [
      ...notes,
      ...(content !== undefined && changed > 0
        ? [
            `${countText(changed, "pattern")} changed or deleted since the migration: version 16 saved this, and it stays`,
          ]
        : []),
    ],
    content,
    isOriginal: false,
  };
}

const sentence = (parts: readonly string[]): string => {
  const text = parts.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
};

/**
 * Restores what the migration took from a pattern library: the whole file, byte for byte, or, if a program has saved it
 * since, the patterns and values that only the backup has.
 */
export async function restoreLibrary(
  report: DatabaseReport,
  run: Progress & HasSettings & Workers & Cleanup & EarlyCopies,
  reported: string | undefined,
): Promise<void> {
  const { path } = report;
  let kept: Backup | null = null;
  try {
    await run.stage(path, "downgrade", "restoring the original");
    const backup = backupOfLibrary(path, run, reported);
    const before = stampOfFile(path);
    const back = backup === undefined ? undefined : wayBack(path, backup);
    if (backup === undefined || back?.content === undefined)
      throw new Stop("in_use", "The library or its backup changed meanwhile. Run this command again.");
    const { content, isOriginal } = back;
    assertReplaceable(path);
    if (!isOriginal && run.settings.backup) kept = await makeBackup(path, false, run, "v16");
    replaceUnchanged(path, before, content);
    const shown = kept ?? { path: backup, sha256: await run.files.hash(backup), reused: false, kept: true };
    report.backup = { ...shown, bytes: statSync(shown.path).size };
    report.status = "downgraded";
  } catch (error) {
    if (kept?.reused === false) run.discard(kept.path);
    const stop = stopOf(error, path);
    report.status = stop.status;
    report.reason = stop.status === "failed" ? `${stop.message} The library was not changed.` : stop.message;
  }
}
