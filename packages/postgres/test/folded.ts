import type { Pool } from "pg";
import { vi } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import type { Connection } from "../src/connection/connection.ts";
import { horizon } from "../src/layout/recorded_by.ts";
import type { Tables } from "../src/layout/set_up.ts";
import { StatisticsReader } from "../src/metrics/statistics_reader.ts";

/** Updates the sums, when no older transaction of another test is open. */
export async function folded(connection: Connection, { names }: Tables, program: Pool): Promise<void> {
  const all = `SELECT ${horizon(names)} > max(recorded_by) AS all FROM interactions`;
  await vi.waitUntil(async () => (await program.query<{ all: boolean }>(all)).rows[0]?.all, PATIENCE_MS);
  await new StatisticsReader(connection, names).foldAll();
}
