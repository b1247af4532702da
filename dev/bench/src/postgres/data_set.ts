import { PostgresMetricsCollector } from "@perdura/postgres";
import { PostgresTables } from "@perdura/postgres/tables";
import { until } from "@perdura/test-servers/processes/until.js";
import { copyText } from "../data/copy_text.ts";
import { typicalUsers } from "../data/interactions.ts";
import { copyInto } from "../peers/bare_postgres.ts";
import type { Place } from "../row.ts";
import { postgresOf, withClient } from "./tables.ts";

/** So many rows may be left to be counted beside the sums; a question that finds more adds them up. */
const LEFT_TO_COUNT = 2000;

/** The schema of the shared database that has so many rows. */
export const schemaWith = (rows: number): string => `rows_${rows}`;

/** Fills that schema with the first call: rows that are added up, in tables as they are after a quiet night. */
export async function fillSchema(place: Place, rows: number): Promise<void> {
  const [address, schema] = [postgresOf(place).shared, schemaWith(rows)];
  const tables = new PostgresTables(address, { schema });
  const collector = new PostgresMetricsCollector(address, { schema });
  try {
    if ((await tables.look()) !== undefined) return;
    const { names } = await tables.ensure();
    const path = copyText(place.shared, { layout: "perdura", rows, users: typicalUsers(rows) });
    await withClient(tables, async (client) => {
      await copyInto(client, names.interactions, path);
      // A transaction of somebody else on this server keeps rows from being added up until it is over.
      await until(`the sums of ${rows} rows in PostgreSQL`, async () => {
        await collector.getGlobalStats();
        const { rows: sums } = await client.query<{ operations: string }>(`SELECT operations FROM ${names.rollup}`);
        return Number(sums[0]?.operations) >= rows - LEFT_TO_COUNT;
      });
      await client.query(`VACUUM (ANALYZE) ${names.interactions}, ${names.userRollup}, ${names.rollup}`);
      await client.query("CHECKPOINT");
    });
  } finally {
    await collector.close();
    await tables.close();
  }
}
