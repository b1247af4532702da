import { PostgresMetricsCollector, type PostgresOptions } from "@perdura/postgres";
import { PostgresTables } from "@perdura/postgres/tables";
import { until } from "@perdura/test-servers/processes/until.js";
import { SPAN_S } from "../data/interactions.ts";
import type { Databases } from "../postgres/server_of_run.ts";
import { withClient } from "../postgres/tables.ts";
import type { Engine } from "./engine.ts";

/** Rows that one statement adds. */
const AT_ONCE = 1_000_000;

/** PostgreSQL, with one of the layouts of its tables. */
export function postgresEngine(name: string, databases: Databases, layout: PostgresOptions): Engine {
  return {
    name,
    fill: async (_, rows, users) => {
      const { own } = await databases.databases();
      const options = { schema: "how_far", ...layout };
      const tables = new PostgresTables(own.url, options);
      const { names, isDistributed } = await tables.ensure();
      const collector = new PostgresMetricsCollector(own.url, options);
      const bytes = await withClient(tables, async (client) => {
        for (let from = 1; from <= rows; from += AT_ONCE)
          await client.query(`INSERT INTO ${names.interactions} (user_id, level, success, response_time_ms, timestamp)
            SELECT CASE WHEN n % 20 = 0 THEN 'heavy' ELSE 'user-' || ((n - n / 20 - 1) % ${users}) END,
              1 + n / 3 % 5, n % 3 <> 0, (n * 31 % 100000) / 10.0,
              to_char(to_timestamp(1600000000 + n * ${SPAN_S / rows}) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
            FROM generate_series(${from}::bigint, ${Math.min(rows, from + AT_ONCE - 1)}) AS n`);
        await tables.refresh();
        await until("sums of all rows", async () => {
          await collector.getGlobalStats();
          const { rows: sums } = await client.query<{ counted: string }>(`SELECT counted FROM ${names.globalSums}()`);
          return Number(sums[0]?.counted) <= 2000;
        });
        await client.query(`VACUUM (ANALYZE) ${names.interactions}`);
        const size = isDistributed
          ? `(SELECT sum(result::bigint) FROM run_command_on_workers('SELECT pg_database_size(current_database())'))`
          : "pg_database_size(current_database())";
        const { rows: sizes } = await client.query<{ bytes: string }>(`SELECT ${size} AS bytes`);
        return Number(sizes[0]?.bytes);
      });
      return {
        collector,
        bytes,
        close: async () => {
          await collector.close();
          await tables.close();
          await databases.drop(own);
        },
      };
    },
  };
}
