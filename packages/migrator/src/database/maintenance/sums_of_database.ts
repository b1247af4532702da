import { watchWriters } from "@perdura/internals/sqlite/pauses.js";
import { makeSums } from "@perdura/internals/metrics/rollup/make_sums.js";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { HasSettings } from "../../core/options.ts";
import type { Progress } from "../../core/progress.ts";
import { useSmallCache } from "../../io/small_cache.ts";
import { runStoredSteps } from "./stored_steps.ts";

/**
 * Makes the sums of a database, in steps between which other writers continue. After an interruption or a kill, what was
 * summed stays.
 *
 * @returns Number of interactions that were added to the sums.
 */
export async function makeSumsOf(path: string, levelColumn: LevelColumn, run: Progress & HasSettings): Promise<number> {
  const { busyTimeoutMs } = run.settings;
  const database = openDatabase(path, { intent: "change", busyTimeoutMs });
  try {
    if (!hasTable(database, "interactions")) return 0;
    useSmallCache(database);
    const work = makeSums(database, levelColumn, busyTimeoutMs);
    const step = { path, stage: "sums", detail: "computing sums for statistics" } as const;
    return await runStoredSteps(work, watchWriters(database), step, run);
  } finally {
    database.close();
  }
}
