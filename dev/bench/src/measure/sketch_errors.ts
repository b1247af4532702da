import { EXACT_UP_TO, percentilesOfTimes } from "@perdura/internals/metrics/breakdown/percentiles.js";
import { MetricsCollector } from "@perdura/v16";

/** More rows than percentiles are exact for. */
const ROWS = 1.5 * EXACT_UP_TO;

/**
 * Relative errors of the percentiles that are estimated from the sums, for real response times: each row has the duration
 * of the call that recorded the row before it.
 */
export function sketchErrors(path: string): Record<"p50" | "p95" | "p99", number> {
  const collector = new MetricsCollector(path, { durability: "normal", breakdown: { keys: ["tool"] } });
  try {
    const times: number[] = [];
    for (let time = 1; times.length < ROWS;) {
      times.push(time);
      const began = performance.now();
      collector.recordMetric("alice", true, time, { tool: "search" });
      time = performance.now() - began;
    }
    const exact = percentilesOfTimes(times);
    const estimated = collector.getGlobalStats({ percentiles: true });
    const errorOf = (name: keyof typeof exact): number => Math.abs(Number(estimated[name]) / Number(exact[name]) - 1);
    return { p50: errorOf("p50"), p95: errorOf("p95"), p99: errorOf("p99") };
  } finally {
    collector.close();
  }
}
