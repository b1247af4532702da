import { PostgresMetricsCollector } from "@perdura/postgres";
import type { Operations } from "../line_adapter.ts";
import { metricValues } from "../metric_values.ts";
import type { CaseDatabases } from "./case_databases.ts";

/** The operations of section 4.2 on PostgreSQL. */
export function metricsOperations(databases: CaseDatabases): Operations {
  return {
    MetricsCollector: async ({ args }) => {
      const collector = new PostgresMetricsCollector(databases.pool, databases.optionsOf(args.db_path));
      // A constructor cannot wait for a server: the first query creates the tables.
      await collector.getAllUsers();
      return { kept: collector };
    },
    record_metric: async ({ args, subject }) => {
      await (subject as PostgresMetricsCollector).recordMetric(
        ...(metricValues(args) as Parameters<PostgresMetricsCollector["recordMetric"]>),
      );
      return {};
    },
    record_interaction: async ({ args, subject }) => ({
      value: await (subject as PostgresMetricsCollector).recordInteraction(
        args.user_id,
        args.level,
        args.success,
        args.response_time_ms,
      ),
    }),
    get_user_stats: async ({ args, subject }) => ({
      value: await (subject as PostgresMetricsCollector).getUserStats(args.user_id),
    }),
    get_global_stats: async ({ subject }) => ({ value: await (subject as PostgresMetricsCollector).getGlobalStats() }),
    get_user_trend: async ({ args: { user_id: userId, ...options }, subject }) => ({
      value: await (subject as PostgresMetricsCollector).getUserTrend(userId, options),
    }),
    get_global_trend: async ({ args, subject }) => ({
      value: await (subject as PostgresMetricsCollector).getGlobalTrend(args),
    }),
    get_all_users: async ({ subject }) => ({ value: await (subject as PostgresMetricsCollector).getAllUsers() }),
  };
}
