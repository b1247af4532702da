import { PostgresMetricsCollector, type PostgresOptions } from "@perdura/postgres";
import { PostgresTables } from "@perdura/postgres/tables";
import type { ClientBase } from "pg";
import { rowSeconds, rowValues } from "../data/interactions.ts";
import { untilFolded } from "../postgres/data_set.ts";
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
      const { bytes, sumsMs } = await withClient(tables, async (client) => {
        const indexes = await withoutIndexes(client, names.interactions);
        for (let from = 1; from <= rows; from += AT_ONCE)
          await client.query(`INSERT INTO ${names.interactions} (user_id, level, success, response_time_ms, timestamp)
            SELECT ${rowValues(users)},
              to_char(to_timestamp(${rowSeconds(rows)}) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
            FROM generate_series(${from}::bigint, ${Math.min(rows, from + AT_ONCE - 1)}) AS n`);
        for (const index of indexes) await client.query(index);
        const start = performance.now();
        await tables.refresh();
        await untilFolded(collector, client, names);
        const took = performance.now() - start;
        // Otherwise the server would do this while the questions are measured.
        for (const statement of ["VACUUM (ANALYZE)", "CHECKPOINT"])
          await client.query(isDistributed ? `SELECT run_command_on_all_nodes('${statement}')` : statement);
        const size = isDistributed
          ? `(SELECT sum(result::bigint) FROM run_command_on_workers('SELECT pg_database_size(current_database())'))`
          : "pg_database_size(current_database())";
        const { rows: sizes } = await client.query<{ bytes: string }>(`SELECT ${size} AS bytes`);
        return { bytes: Number(sizes[0]?.bytes), sumsMs: took };
      });
      return {
        collector,
        bytes,
        sumsMs,
        close: async () => {
          await collector.close();
          await tables.close();
          await databases.drop(own);
        },
      };
    },
  };
}

/**
 * Drops the indexes of a table except the one of its key, because they are built several times faster afterwards.
 *
 * @returns The statements that build them.
 */
async function withoutIndexes(client: ClientBase, table: string): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; build: string }>(
    `SELECT format('DROP INDEX %s', indexrelid::regclass) AS drop, pg_get_indexdef(indexrelid) AS build
     FROM pg_index WHERE indrelid = $1::regclass AND NOT indisprimary`,
    [table],
  );
  for (const { drop } of rows) await client.query(drop);
  // Of a partitioned table, the statement would leave the partitions out.
  return rows.map(({ build }) => build.replace(" ON ONLY ", " ON "));
}
