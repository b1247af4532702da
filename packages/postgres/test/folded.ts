import type { Pool } from "pg";
import { vi } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import type { Connection } from "../src/connection/connection.ts";
import { horizon } from "../src/layout/recorded_by.ts";
import type { Tables } from "../src/layout/set_up.ts";
import { StatisticsReader } from "../src/metrics/statistics_reader.ts";

/** Updates the sums, when no older transaction of another test is open. */
export async function folded(connection: Connection, { names, isDistributed }: Tables, program: Pool): Promise<void> {
  const fold = (): Promise<void> => new StatisticsReader(connection, names).foldAll();
  const isTrue = async (sql: string): Promise<boolean> =>
    (await program.query<{ all: boolean }>(`SELECT ${sql} AS all`)).rows[0]?.all === true;
  if (isDistributed) {
    // Each shard has numbers of its own.
    do await fold();
    while (!(await isTrue("(SELECT counted = 0 FROM perdura_global_sums())")));
    return;
  }
  await vi.waitUntil(() => isTrue(`(SELECT ${horizon(names)} > max(recorded_by) FROM interactions)`), PATIENCE_MS);
  await fold();
}
