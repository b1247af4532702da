import { rollupStatistics } from "@perdura/internals/metrics/rollup/rollup_statistics.js";
import { withStorage } from "@perdura/internals/files/storage_errors.js";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { mustBe, type Operation } from "./operation.ts";
import { fileIn, rowsIn } from "./recording_operations.ts";

const ROWS = 300;
/** Limits that fold after few rows, and in pieces. */
const LIMITS = { threshold: 50, piece: 100, sliceMs: 10_000, budgetMs: 100_000, fewestUsers: 1 };

function record(directory: string, first: number): void {
  const collector = new v16.MetricsCollector(fileIn(directory));
  try {
    collector.recordMany(
      Array.from({ length: ROWS }, (_, row) => ({
        user_id: `u${first + row}`,
        level: 2,
        success: true,
        response_time_ms: 5,
      })),
    );
  } finally {
    collector.close();
  }
}

/** Reads statistics, which folds first. */
function ask(directory: string, rows: number): void {
  const database = withStorage(fileIn(directory), "opening", () => new Database(fileIn(directory)));
  try {
    withStorage(fileIn(directory), "reading", () => {
      database.pragma("synchronous = FULL");
      const statistics = rollupStatistics(database, "level", LIMITS);
      mustBe(
        statistics.global(),
        { total_users: rows, total_interactions: rows, success_rate: 1 },
        "statistics of all users",
      );
      mustBe(statistics.user("u1").total_operations, 1, "operations of a user");
    });
  } finally {
    database.close();
  }
}

/** Folding is not called directly: reading statistics does it. */
const folding = (name: string, times: number): Operation => ({
  name,
  steps: 0,
  layOut: (directory) => {
    record(directory, 0);
    if (times === 1) return;
    ask(directory, ROWS);
    record(directory, ROWS);
  },
  perform: (directory) => ask(directory, times * ROWS),
  stepsIn: (directory) => {
    mustBe(rowsIn(directory), times * ROWS, "rows");
    const collector = new v16.MetricsCollector(fileIn(directory));
    try {
      mustBe(collector.getGlobalStats().total_interactions, times * ROWS, "interactions in the statistics");
      return 0;
    } finally {
      collector.close();
    }
  },
});

/** Folding of rows into the rollup. */
export const FOLDING_OPERATIONS: readonly Operation[] = [
  folding("fold the rollup", 1),
  folding("fold into the rollup what came since", 2),
];
