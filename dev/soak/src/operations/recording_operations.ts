import { existsSync } from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { mustBe, type Operation } from "./operation.ts";

/** Path of the database. */
export const fileIn = (directory: string): string => join(directory, "metrics.db");

/** Differences between the lines. */
export const METRICS_LINES = [
  {
    number: "15",
    open: (directory: string) => new v15.MetricsCollector(fileIn(directory)),
    many: (collector: v15.MetricsCollector | v16.MetricsCollector, users: string[]) =>
      (collector as v15.MetricsCollector).recordMany(
        users.map((user_id) => ({ user_id, empathy_level: 2, success: true, response_time_ms: 5 })),
      ),
  },
  {
    number: "16",
    open: (directory: string) => new v16.MetricsCollector(fileIn(directory)),
    many: (collector: v15.MetricsCollector | v16.MetricsCollector, users: string[]) =>
      (collector as v16.MetricsCollector).recordMany(
        users.map((user_id) => ({ user_id, level: 2, success: true, response_time_ms: 5 })),
      ),
  },
] as const;

/** Number of rows, after a check of the whole database. Ids and users must be those of complete rows. */
export function rowsIn(directory: string): number {
  if (!existsSync(fileIn(directory))) return 0;
  const database = new Database(fileIn(directory));
  try {
    mustBe(database.pragma("integrity_check", { simple: true }), "ok", "integrity_check");
    const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'interactions'").get();
    if (table === undefined) return 0;
    const rows = database.prepare("SELECT user_id, success, response_time_ms FROM interactions ORDER BY id").all();
    rows.forEach((row, index) =>
      mustBe(row, { user_id: `u${index}`, success: 1, response_time_ms: 5 }, `row ${index}`),
    );
    return rows.length;
  } finally {
    database.close();
  }
}

/** Statistics must be right, whatever happened to the rollup. */
function statisticsAgree(collector: v15.MetricsCollector | v16.MetricsCollector, rows: number): void {
  mustBe(collector.getGlobalStats().total_interactions, rows, "all interactions");
  mustBe(collector.getAllUsers().length, rows, "all users");
  if (rows > 0) mustBe(collector.getUserStats("u0").total_operations, 1, "operations of the first user");
}

const recordingIn = ({ number, open, many }: (typeof METRICS_LINES)[number]): Operation[] => {
  const stepsIn = (before: number, step: number) => (directory: string) => {
    const rows = rowsIn(directory);
    const collector = open(directory);
    try {
      statisticsAgree(collector, rows);
      const steps = (rows - before) / step;
      if (!Number.isInteger(steps) || steps < 0)
        throw new Error(`${rows} rows include part of a transaction of ${step}`);
      return steps;
    } finally {
      collector.close();
    }
  };
  const record = (directory: string, acknowledge: () => void): void => {
    const collector = open(directory);
    try {
      for (let row = 0; row < 3; row += 1) {
        collector.recordInteraction(`u${collector.getGlobalStats().total_interactions}`, 2, true, 5);
        acknowledge();
      }
    } finally {
      collector.close();
    }
  };
  const before = (rows: number) => (directory: string) => {
    const collector = open(directory);
    try {
      many(
        collector,
        Array.from({ length: rows }, (_, row) => `u${row}`),
      );
    } finally {
      collector.close();
    }
  };
  return [
    { name: `record (${number})`, steps: 3, adds: true, layOut: before(2), perform: record, stepsIn: stepsIn(2, 1) },
    {
      name: `record into a new database (${number})`,
      steps: 3,
      adds: true,
      layOut: () => undefined,
      perform: record,
      stepsIn: stepsIn(0, 1),
    },
    {
      name: `record batches (${number})`,
      steps: 2,
      adds: true,
      layOut: before(50),
      perform: (directory, acknowledge) => {
        const collector = open(directory);
        try {
          for (let batch = 0; batch < 2; batch += 1) {
            const first = collector.getGlobalStats().total_interactions;
            many(
              collector,
              Array.from({ length: 50 }, (_, row) => `u${first + row}`),
            );
            acknowledge();
          }
        } finally {
          collector.close();
        }
      },
      stepsIn: stepsIn(50, 50),
    },
    {
      name: `record by a writer, many at once (${number})`,
      steps: 2,
      adds: true,
      layOut: before(20),
      perform: async (directory, acknowledge) => {
        const collector = open(directory);
        try {
          const writer = collector.writer();
          for (let batch = 0; batch < 2; batch += 1) {
            const first = collector.getGlobalStats().total_interactions;
            await Promise.all(
              Array.from({ length: 20 }, (_, row) => writer.recordInteraction(`u${first + row}`, 2, true, 5)),
            );
            acknowledge();
          }
        } finally {
          collector.close();
        }
      },
      stepsIn: stepsIn(20, 20),
    },
  ];
};

/** Recording by every method. */
export const RECORDING_OPERATIONS: readonly Operation[] = METRICS_LINES.flatMap(recordingIn);
