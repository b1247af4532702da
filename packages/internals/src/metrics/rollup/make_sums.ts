import { waitInSlices } from "../../sqlite/busy.ts";
import type { Database } from "../../sqlite/open_database.ts";
import type { LevelColumn } from "../schema.ts";
import { isRollupReady } from "./handover.ts";
import { ROLLUP_LIMITS } from "./limits.ts";
import { maintainFully } from "./maintenance.ts";

/** Progress of the sums. */
export interface SumsProgress {
  /** Interactions added to the sums so far. */
  done: number;
  /** Number of interactions that were not in the sums at the beginning. */
  total: number;
}

/**
 * Time for which a step may keep other writers waiting, in milliseconds. With a shorter one, the pauses between the steps
 * would be a large part of the time.
 */
const STEP_MS = 60;

/**
 * Adds all interactions to the sums from which statistics are read, in steps between which the caller lets other writers
 * continue; each step is stored. Does nothing for a database with few rows, which needs no sums.
 *
 * @returns Number of interactions that were added.
 */
export function* makeSums(
  database: Database,
  levelColumn: LevelColumn,
  busyTimeoutMs: number,
): Generator<SumsProgress, number> {
  const waits = waitInSlices(database, busyTimeoutMs);
  const summed = (): number =>
    database.transaction(() =>
      isRollupReady(database) ? (database.prepare("SELECT operations FROM perdura_rollup").pluck().get() as number) : 0,
    )();
  const before = summed();
  const total = (database.prepare("SELECT count(*) FROM interactions").pluck().get() as number) - before;
  if (total > ROLLUP_LIMITS.threshold) yield { done: 0, total };
  for (const _ of maintainFully({ database, levelColumn, limits: ROLLUP_LIMITS, waits }, () => STEP_MS)) {
    const done = summed() - before;
    yield { done: Math.max(0, done), total: Math.max(0, total) };
    // Newer rows are summed, too: another program keeps recording, and a question adds its rows.
    if (done > total) break;
  }
  return Math.max(0, summed() - before);
}
