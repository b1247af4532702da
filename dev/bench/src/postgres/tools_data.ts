import { PostgresMetricsCollector } from "@perdura/postgres";
import { PostgresTables } from "@perdura/postgres/tables";
import { rowSeconds, rowValues, typicalUsers } from "../data/interactions.ts";
import { type Database, withClient } from "./tables.ts";

/** The keys that are declared in {@link fillTools}. */
export const KEYS = { keys: ["tool", "model"], numbers: ["tokens"] } as const;

/** The schema of the shared database whose rows have metadata. */
export const toolsSchema = (rows: number): string => `tools_${rows}`;

/** Fills that schema at the first call: metadata with ten tools, three models and tokens, and their sums. */
export async function fillTools({ addresses }: Database, rows: number): Promise<void> {
  const schema = toolsSchema(rows);
  const tables = new PostgresTables(addresses.shared, { schema });
  const collector = new PostgresMetricsCollector(addresses.shared, { schema, breakdown: KEYS });
  try {
    if ((await tables.look()) !== undefined) return;
    await collector.getAllUsers();
    const { names } = await tables.ensure();
    await withClient(tables, async (client) => {
      await client.query(
        `INSERT INTO ${names.interactions} (user_id, level, success, response_time_ms, timestamp)
         SELECT ${rowValues(typicalUsers(rows))}, to_char(to_timestamp(${rowSeconds(rows)}) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
         FROM generate_series(1::bigint, ${rows}) AS n`,
      );
      await client.query(
        `INSERT INTO ${names.interactionMetadata} SELECT id, json_build_object(
           'tool', 'tool ' || id * 7 % 10, 'model', 'model ' || id % 3, 'tokens', id % 1000) FROM ${names.interactions}`,
      );
    });
    await tables.refresh();
    await withClient(tables, async (client) => {
      await client.query(`VACUUM (ANALYZE) ${names.keyDays}, ${names.userKeyDays}`);
      await client.query("CHECKPOINT");
    });
  } finally {
    await collector.close();
    await tables.close();
  }
}
