import type { HasSettings } from "../core/options.ts";
import { backupsOf, existing } from "../io/copy_database.ts";
import { bytesOfFile, type DocumentBytes } from "../io/document_bytes.ts";
import { completeOutcomes, repairedBytes } from "./decide_library.ts";
import { type DocumentPlaces, documentPlaces, isWhole } from "./document_places.ts";
import { examineLibrary, type LibraryFindings } from "./examine_library.ts";
import { compareWithOriginal, type SavedSince } from "./saved_since.ts";

/** A library, compared with its original. */
export type LibraryComparison =
  /** Equal to the original. */
  | { state: "original" }
  /** Equal to the repaired original. */
  | { state: "repaired" }
  /** A program has saved it since the migration. `since` returns undefined if one of them is not a whole library. */
  | { state: "saved_since"; since: () => SavedSince | undefined };

/** The newest backup of a library, or the one that a report names; undefined without one. */
export function backupOfLibrary(path: string, { settings }: HasSettings, reported?: string): string | undefined {
  return backupsOf(path, settings.backupDir).at(-1) ?? existing(reported);
}

/**
 * Compares a library with its backup. The state follows from the bytes alone: the repair of a backup depends only on
 * the decisions.
 */
export function compareLibrary(path: string, backup: string): LibraryComparison {
  const [now, original] = [bytesOfFile(path), bytesOfFile(backup)];
  if (now.equals(original)) return { state: "original" };
  const places = documentPlaces(original);
  if (!isWhole(places)) return { state: "saved_since", since: () => undefined };
  const findings = examineLibrary(original, places);
  const placesNow = documentPlaces(now);
  if (isRepair(findings, now, placesNow)) return { state: "repaired" };
  return { state: "saved_since", since: () => compareWithOriginal(findings, now, placesNow) };
}

/** True if a document is what some decisions make of the original. */
function isRepair(findings: LibraryFindings, now: DocumentBytes, { items }: DocumentPlaces): boolean {
  for (const { decisions, outcome } of completeOutcomes(findings)) {
    // Most combinations differ in the number of patterns, which takes little time to compare.
    if (findings.places.items.length - outcome.resolution.unreadable !== items.length) continue;
    if (repairedBytes(findings, outcome, decisions).equals(now)) return true;
  }
  return false;
}
