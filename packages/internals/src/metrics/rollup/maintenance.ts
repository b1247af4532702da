import { isBusy, type Waits, waitWhileBusy, withoutWaiting } from "../../sqlite/busy.ts";
import type { Database } from "../../sqlite/open_database.ts";
import { Pace } from "../../sqlite/pace.ts";
import { withoutSync } from "../../sqlite/without_sync.ts";
import type { LevelColumn } from "../schema.ts";
import { conditionOf, schemaVersionQuery } from "./condition.ts";
import { prepareFolding } from "./fold.ts";
import { installRollup, removeRollup } from "./install.ts";
import type { RollupLimits } from "./limits.ts";
import { isLongLog, supportsRollup } from "./suitable.ts";
import { isMostlyNew } from "./whole_users.ts";
import { monotonicMs } from "../../runtime/monotonic.ts";

/** A database with the settings of its maintenance. */
export interface MaintainedDatabase {
  database: Database;
  levelColumn: LevelColumn;
  limits: RollupLimits;
  waits: Waits;
}

/**
 * Updates the rollup as far as possible without waiting, within the time budget of a question. If another process
 * writes, or if writing is impossible, the question is answered without the rollup.
 *
 * @param pace That of earlier questions: in a large database, almost each row changes a page of its own.
 */
export function maintainBriefly(maintained: MaintainedDatabase, pace: Pace): void {
  const { database, limits, waits } = maintained;
  const start = monotonicMs();
  const [slice, end] = [Math.min(limits.sliceMs, limits.budgetMs), start + limits.budgetMs];
  try {
    withoutWaiting(database, waits, () => {
      let began = start;
      for (const done of steps({ ...maintained, timeoutMs: 0, pace }, () => slice)) {
        const now = monotonicMs();
        pace.slowDown(now - began, slice);
        if (done || now + (now - began) >= end) break;
        began = now;
      }
    });
  } catch (error) {
    if (!isBusy(error) && !isUnwritable(error)) throw error;
  }
}

/**
 * Updates the rollup up to the last row, in steps between which the caller lets other writers continue. Waits for them
 * at the beginning of each step.
 *
 * @param sliceMs Time that a step may take, in milliseconds.
 */
export function* maintainFully(maintained: MaintainedDatabase, sliceMs: () => number): Generator<void, void> {
  const settings = { ...maintained, timeoutMs: maintained.waits.timeoutMs, isLong: true };
  for (const done of steps(settings, sliceMs)) if (!done) yield;
}

/** Computes the sums of changed users again, as {@link maintainFully} does, and does not fold new rows. */
export function* refreshFully(maintained: MaintainedDatabase, sliceMs: () => number): Generator<void, void> {
  const settings = { ...maintained, timeoutMs: maintained.waits.timeoutMs, onlyStale: true };
  for (const done of steps(settings, sliceMs)) if (!done) yield;
}

interface StepSettings extends MaintainedDatabase {
  /** Longest wait for other writers at the beginning of a step, in milliseconds. */
  timeoutMs: number;
  /** A new one by default. */
  pace?: Pace;
  /** True to fold no new rows, and to build no rollup. */
  onlyStale?: boolean;
  /** True to compute the sums of all users again where they have only few of the rows. */
  isLong?: boolean;
}

/** Does pending work in one transaction after the other; yields true after the last one. */
function* steps(settings: StepSettings, sliceMs: () => number): Generator<boolean, void> {
  const { database, limits, timeoutMs, pace = new Pace(limits.piece), isLong = false } = settings;
  // Counted without the lock.
  let marksAll = isLong && waitWhileBusy(timeoutMs, () => database.transaction(() => isMostlyNew(database))());
  for (;;) {
    const slice = sliceMs();
    const step = database.transaction(() => work(settings, pace, slice, marksAll));
    // Sums that a power cut takes are computed again.
    const more = withoutSync(database, () => waitWhileBusy(timeoutMs, () => step.immediate()));
    marksAll = false;
    yield !more;
    if (!more) return;
  }
}

/** Does part of the pending work; true if more work may be pending. */
function work(
  { database, levelColumn, limits, onlyStale = false }: StepSettings,
  pace: Pace,
  sliceMs: number,
  marksAll: boolean,
): boolean {
  const condition = conditionOf(database, schemaVersionQuery(database).get() as number);
  if (condition === "taken" || (onlyStale && condition === "absent")) return false;
  if (condition === "broken" || condition === "outdated") removeRollup(database);
  if (condition !== "ready" && onlyStale) return false;
  if (condition !== "ready") {
    if (!isLongLog(database, limits.threshold) || !supportsRollup(database)) return false;
    installRollup(database);
  }
  // The triggers cannot mark users of a row with this id as stale; see `objects.ts`.
  if (database.prepare("SELECT 1 FROM interactions WHERE id = -1").get() !== undefined) return false;
  const folding = prepareFolding(database, levelColumn);
  if (marksAll) folding.markAllUsers(limits.fewestUsers);
  const end = monotonicMs() + sliceMs;
  if (pace.run(folding.refreshPiece, sliceMs, end)) return true;
  return pace.run(onlyStale ? folding.removeLeftOver : folding.foldPiece, sliceMs, 0);
}

/** True if the disk is full or the file is read-only. */
function isUnwritable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (code === "SQLITE_FULL" || code.startsWith("SQLITE_READONLY"));
}
