import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import { hasMetadata, rowOf, type Way } from "./recorded.ts";

/** A collector of either line. */
export type Collector = v15.MetricsCollector | v16.MetricsCollector;
/** Settings of a collector, the same in both lines. */
export type CollectorOptions = NonNullable<ConstructorParameters<typeof v16.MetricsCollector>[1]>;

/** Differences between the lines in recording. */
export interface MetricsLine {
  number: "15" | "16";
  levelColumn: LevelColumn;
  open(path: string, options?: CollectorOptions): Collector;
  /** Records the row of a number with `recordMetric`. */
  metric(collector: Collector, user: string, number: number): void;
  /** Records rows in one transaction with `recordMany`. */
  many(collector: Collector, user: string, numbers: readonly number[]): void;
}

const recordOf = (user: string, way: Way, number: number) => {
  const { success, time } = rowOf(number);
  return { user_id: user, success, response_time_ms: time, metadata: hasMetadata(way, number) ? { n: number } : null };
};

/** Both lines. */
export const METRICS_LINES: readonly MetricsLine[] = [
  {
    number: "15",
    levelColumn: "empathy_level",
    open: (path, options) => new v15.MetricsCollector(path, options),
    metric: (collector, user, number) => {
      const { level, success, time } = rowOf(number);
      (collector as v15.MetricsCollector).recordMetric(user, level, success, time, { n: number });
    },
    many: (collector, user, numbers) =>
      void (collector as v15.MetricsCollector).recordMany(
        numbers.map((number) => ({ ...recordOf(user, "many", number), empathy_level: rowOf(number).level })),
      ),
  },
  {
    number: "16",
    levelColumn: "level",
    open: (path, options) => new v16.MetricsCollector(path, options),
    // Uses the user's current level, which is that of the previous row.
    metric: (collector, user, number) => {
      const { success, time } = rowOf(number);
      (collector as v16.MetricsCollector).recordMetric(user, success, time, { n: number });
    },
    many: (collector, user, numbers) =>
      void (collector as v16.MetricsCollector).recordMany(
        numbers.map((number) => ({ ...recordOf(user, "many", number), level: rowOf(number).level })),
      ),
  },
];

/** The line with that number. */
export function lineOf(number: string): MetricsLine {
  const line = METRICS_LINES.find((each) => each.number === number);
  if (line === undefined) throw new Error(`Unknown line ${number}.`);
  return line;
}
