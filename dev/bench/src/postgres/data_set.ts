import { PostgresMetricsCollector } from "@perdura/postgres";
import { type Names, PostgresTables } from "@perdura/postgres/tables";
import { until } from "@perdura/test-servers/processes/until.js";
import type { ClientBase } from "pg";
import { copyText } from "../data/copy_text.ts";
import { typicalUsers } from "../data/interactions.ts";
import { copyInto } from "../peers/bare_postgres.ts";
import type { Place } from "../row.ts";
import { type Database, withClient } from "./tables.ts";

/** Maximum number of rows outside of the rollup; a query that finds more folds them. */
const LEFT_TO_COUNT = 2000;

/** The schema of the shared database with this many rows. */
export const schemaWith = (rows: number): string => `rows_${rows}`;

/** Fills that schema at the first call: folded rows, in tables as they are after a quiet night. */
export async function fillSchema({ shared }: Place, { addresses, layout }: Database, rows: number): Promise<void> {
  const options = { schema: schemaWith(rows), ...layout };
  const tables = new PostgresTables(addresses.shared, options);
  const collector = new PostgresMetricsCollector(addresses.shared, options);
  try {
    if ((await tables.look()) !== undefined) return;
    const { names } = await tables.ensure();
    const path = copyText(shared, { layout: "perdura", rows, users: typicalUsers(rows) });
    await withClient(tables, async (client) => {
      await copyInto(client, names.interactions, path);
      await untilFolded(collector, client, names);
      const ofSums = layout.distributed === undefined ? `, ${names.userRollup}, ${names.rollup}` : "";
      await client.query(`VACUUM (ANALYZE) ${names.interactions}${ofSums}`);
      await client.query("CHECKPOINT");
    });
  } finally {
    await collector.close();
    await tables.close();
  }
}

/** Waits until the sums contain almost all rows: another transaction on the server prevents folding until it ends. */
export function untilFolded(
  collector: PostgresMetricsCollector,
  client: ClientBase,
  { globalSums }: Names,
): Promise<void> {
  return until("the sums of all rows in PostgreSQL", async () => {
    await collector.getGlobalStats();
    const { rows } = await client.query<{ counted: string }>(`SELECT counted FROM ${globalSums}()`);
    return Number(rows[0]?.counted) <= LEFT_TO_COUNT;
  });
}
