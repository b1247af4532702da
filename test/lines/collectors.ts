import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { freshFolder } from "../fresh_folder.ts";

/** The same call in both lines: 16 has no level parameter. */
export const COLLECTORS = [
  {
    name: "v15",
    column: "empathy_level",
    open: (path: string, options?: v15.MetricsOptions) => new v15.MetricsCollector(path, options),
    record: (
      collector: v15.MetricsCollector | v16.MetricsCollector,
      ...[user, ...rest]: [string, boolean, number, v15.JsonObject?]
    ) => (collector as v15.MetricsCollector).recordMetric(user, 1, ...rest),
    write: (
      writer: v15.MetricsWriter<number | undefined> | v16.MetricsWriter<number | undefined>,
      ...[user, ...rest]: [string, boolean, number, v15.JsonObject?]
    ) => (writer as v15.MetricsWriter<number | undefined>).recordMetric(user, 1, ...rest),
  },
  {
    name: "v16",
    column: "level",
    open: (path: string, options?: v16.MetricsOptions) => new v16.MetricsCollector(path, options),
    record: (
      collector: v15.MetricsCollector | v16.MetricsCollector,
      ...given: [string, boolean, number, v16.JsonObject?]
    ) => (collector as v16.MetricsCollector).recordMetric(...given),
    write: (
      writer: v15.MetricsWriter<number | undefined> | v16.MetricsWriter<number | undefined>,
      ...given: [string, boolean, number, v16.JsonObject?]
    ) => (writer as v16.MetricsWriter<number | undefined>).recordMetric(...given),
  },
] as const;

export function rowsOf(path: string, sql: string): unknown[] {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare(sql).raw().all();
  } finally {
    database.close();
  }
}

export const temporaryDatabase = (): string => join(freshFolder(), "metrics.db");
