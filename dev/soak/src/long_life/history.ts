import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";

/** Records the earlier data of an agent; returns the number of rows. */
export function layHistory(line: "15" | "16", directory: string, rows: number): number {
  const path = join(directory, "metrics.db");
  const record = (number: number) => ({ user_id: `user${number % 20}`, success: true, response_time_ms: 5 });
  const numbers = Array.from({ length: rows }, (_, number) => number);
  if (line === "15") {
    const collector = new v15.MetricsCollector(path);
    try {
      collector.recordMany(numbers.map((number) => ({ ...record(number), empathy_level: 3 })));
    } finally {
      collector.close();
    }
  } else {
    const collector = new v16.MetricsCollector(path);
    try {
      collector.recordMany(numbers.map((number) => ({ ...record(number), level: 3 })));
    } finally {
      collector.close();
    }
  }
  return rows;
}

/** Compares the database with what was recorded, and its statistics with a count by plain SQL. */
export function recountFaults(line: "15" | "16", directory: string, expected: number): string[] {
  const path = join(directory, "metrics.db");
  const database = new Database(path);
  const faults: string[] = [];
  try {
    const check = database.pragma("integrity_check", { simple: true });
    if (check !== "ok") faults.push(`integrity_check returned ${String(check)}`);
    const counted = database.prepare("SELECT user_id, count(*) AS rows FROM interactions GROUP BY user_id").all() as {
      user_id: string;
      rows: number;
    }[];
    const sum = counted.reduce((rows, user) => rows + user.rows, 0);
    if (sum !== expected) faults.push(`${expected} rows were recorded, but ${sum} are stored`);
    const collector = line === "15" ? new v15.MetricsCollector(path) : new v16.MetricsCollector(path);
    try {
      for (const { user_id: user, rows } of counted) {
        const { total_operations: operations } = collector.getUserStats(user);
        if (operations !== rows) faults.push(`${user} has ${rows} rows, but statistics of ${operations}`);
      }
      const { total_interactions: total } = collector.getGlobalStats();
      if (total !== sum) faults.push(`${sum} rows are stored, but statistics count ${total}`);
    } finally {
      collector.close();
    }
  } finally {
    database.close();
  }
  return faults;
}
