import { isMainThread } from "node:worker_threads";
import type { Args } from "./arguments.ts";
import type { Call, Operations } from "./line_adapter.ts";

/** The optional arguments of trends. */
export type TrendArgs = Pick<Args, "bucket" | "since" | "until" | "trust">;

/** The methods of a metrics collector that both lines share. */
export interface Collector {
  recordInteraction(userId: string, level: number, success: boolean, responseTimeMs: number): number;
  getUserStats(userId: string): object;
  getGlobalStats(): object;
  getAllUsers(): string[];
  getUserTrend(userId: string, options: TrendArgs): object[];
  getGlobalTrend(options: TrendArgs): object[];
  exportMetrics(filepath: string): number;
}

/** The operations of sections 4.2 and 4.3. `recordMetric` is the call that differs between the lines. */
export function metricsOperations<C extends Collector>(
  line: { MetricsCollector: new (dbPath?: string) => C },
  recordMetric: (collector: C, args: Call["args"]) => void,
): Operations {
  return {
    MetricsCollector: ({ args, directory }) => {
      if ("db_path" in args) return { kept: new line.MetricsCollector(args.db_path) };
      return { kept: within(directory, () => new line.MetricsCollector()) };
    },
    record_metric: ({ args, subject }) => {
      recordMetric(collectorOf<C>(subject), args);
      return {};
    },
    record_interaction: ({ args, subject }) => ({
      value: collectorOf<C>(subject).recordInteraction(args.user_id, args.level, args.success, args.response_time_ms),
    }),
    get_user_stats: ({ args, subject }) => ({ value: collectorOf<C>(subject).getUserStats(args.user_id) }),
    get_global_stats: ({ subject }) => ({ value: collectorOf<C>(subject).getGlobalStats() }),
    get_all_users: ({ subject }) => ({ value: collectorOf<C>(subject).getAllUsers() }),
    get_user_trend: ({ args: { user_id: userId, ...options }, subject }) => ({
      value: collectorOf<C>(subject).getUserTrend(userId, options),
    }),
    get_global_trend: ({ args, subject }) => ({ value: collectorOf<C>(subject).getGlobalTrend(args) }),
    export_metrics: ({ args, subject }) => ({ value: collectorOf<C>(subject).exportMetrics(args.filepath) }),
  };
}

/** The collector itself, or the one of an opened persistence. */
function collectorOf<C>(subject: unknown): C {
  return (subject as { metrics?: C }).metrics ?? (subject as C);
}

/**
 * Runs a function in another working directory, for defaults such as `./metrics.db`; worker threads cannot change
 * theirs.
 */
export function within<Result>(directory: string, work: () => Result): Result {
  if (!isMainThread) return work();
  const before = process.cwd();
  process.chdir(directory);
  try {
    return work();
  } finally {
    process.chdir(before);
  }
}
