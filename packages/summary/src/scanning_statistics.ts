import { lazy } from "@perdura/internals/runtime/lazy.js";
import { isRollupReady } from "@perdura/internals/metrics/rollup/handover.js";
import { type ScannedRows, type ScanProgress, scanRows } from "@perdura/internals/metrics/scan/scan_rows.js";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import { ALWAYS } from "@perdura/internals/metrics/time_range.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsSource } from "./source.ts";
import { monotonicMs } from "@perdura/internals/runtime/monotonic.js";

/** With fewer rows, SQL answers at once. */
const MANY_ROWS = 50_000;

/** Time between two pauses in which the program notices Ctrl-C, in milliseconds. */
const PAUSE_EVERY_MS = 50;

type Statistics = MetricsSource["statistics"];

/**
 * Answers questions about all users from rows that are read once, at the first of these questions, if the database has
 * many rows and no sums of them. Other questions, and those about few rows, are answered by SQL.
 *
 * @param mayHaveSums True for a table for which a line keeps sums.
 * @param report Receives the progress while the rows are read.
 */
export function scanningStatistics(
  database: Database,
  levelColumn: LevelColumn,
  statistics: Statistics,
  { mayHaveSums, report }: { mayHaveSums: boolean; report: (progress: ScanProgress) => void },
): Statistics {
  const scanned = lazy(async () =>
    hasManyUnsummedRows(database, mayHaveSums) ? scanWithPauses(database, levelColumn, report) : undefined,
  );
  return {
    ...statistics,
    // Without an index on the users, such a question reads all rows.
    userTrend: async (userId, asked) => {
      await pause();
      return statistics.userTrend(userId, asked);
    },
    overview: async () => (await scanned())?.overview() ?? statistics.overview(),
    topUsers: async (limit) => (await scanned())?.topUsers(limit) ?? statistics.topUsers(limit),
    global: async () => (await scanned())?.global() ?? statistics.global(),
    globalTrend: async (asked) => {
      const { bucket, since, until } = asked;
      if (bucket === "hour" || since !== ALWAYS.since || until !== ALWAYS.until) return statistics.globalTrend(asked);
      return (await scanned())?.globalTrend(bucket) ?? statistics.globalTrend(asked);
    },
  };
}

function hasManyUnsummedRows(database: Database, mayHaveSums: boolean): boolean {
  const unsummed = mayHaveSums && isRollupReady(database) ? "WHERE id > (SELECT watermark FROM perdura_rollup)" : "";
  return (database.prepare(`SELECT count(*) FROM interactions ${unsummed}`).pluck().get() as number) > MANY_ROWS;
}

async function scanWithPauses(
  database: Database,
  levelColumn: LevelColumn,
  report: (progress: ScanProgress) => void,
): Promise<ScannedRows | undefined> {
  const scan = scanRows(database, levelColumn);
  for (let last = monotonicMs(); ;) {
    const step = scan.next();
    if (step.done === true) return step.value;
    if (monotonicMs() - last < PAUSE_EVERY_MS) continue;
    report(step.value);
    await pause();
    last = monotonicMs();
  }
}

/** Lets the program notice signals. */
function pause(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
