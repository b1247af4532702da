import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openMetrics } from "../../src/metrics/open_metrics.ts";
import {
  type RollupStatistics,
  type RollupOptions,
  rollupStatistics,
} from "../../src/metrics/rollup/rollup_statistics.ts";
import type { OverviewQueries } from "../../src/metrics/overview_stats.ts";
import { overviewQueries } from "../../src/metrics/overview.ts";
import { type CollectorQueries, statisticsQueries } from "../../src/metrics/statistics.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

/** A database with both kinds of statistics. */
export interface Asked {
  database: Database;
  rollup: RollupStatistics;
  allRows: CollectorQueries & OverviewQueries;
}

/** Limits at which a handful of rows is many. */
export const SMALL = { threshold: 5, piece: 4, sliceMs: 0, budgetMs: Infinity, fewestUsers: 1 };

export function newPath(): string {
  const folder = freshFolder();
  return join(folder, "metrics.db");
}

export function asked(path: string, options: RollupOptions = SMALL): Asked {
  const database = openMetrics(path, "level", { durability: "normal" });
  onTestFinished(() => void database.close());
  return {
    database,
    rollup: rollupStatistics(database, "level", options),
    allRows: { ...statisticsQueries(database, "level"), ...overviewQueries(database, "level") },
  };
}

/** Records rows of three users. */
export function addRows(database: Database, count: number): void {
  const insert = database.prepare(
    "INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES (?, ?, ?, ?)",
  );
  database.transaction(() => {
    for (let each = 0; each < count; each += 1) insert.run("abc"[each % 3], (each % 5) + 1, each % 2, each / 3);
  })();
}

/** The names of the existing tables and triggers of the rollup. */
export function rollupObjects(database: Database): string[] {
  return database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE name LIKE 'perdura!_%' ESCAPE '!' AND name NOT LIKE 'perdura!_metadata!_%' ESCAPE '!' AND type IN ('table', 'trigger') ORDER BY name",
    )
    .pluck()
    .all() as string[];
}

/** Puts a number into the rollup that proves an answer to come from there. */
export function fake(database: Database): void {
  database.exec("UPDATE perdura_user_rollup SET operations = 999; UPDATE perdura_rollup SET users = 999");
}
