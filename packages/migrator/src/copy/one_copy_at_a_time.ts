import { setTimeout as pause } from "node:timers/promises";
import type { PostgresTables } from "@perdura/postgres/tables";
import type { PoolClient } from "pg";
import type { Run } from "../run/run.ts";
import { Stop } from "../stop.ts";

/** How long to wait between two looks whether another copy has ended, in milliseconds. */
const BETWEEN = 100;

/**
 * Does a task while no other copy works on the tables of a schema: what was compared would not hold any more.
 *
 * The lock belongs to a transaction of a connection of its own. One of the session would stay with a pooler's connection
 * when we are gone, and keep everybody out; a transaction keeps the pooler's connection ours, and ends with us.
 *
 * @throws Stop with `in_use` where another copy works for longer than the busy time-out.
 */
export async function oneCopyAtATime(
  tables: PostgresTables,
  schema: string,
  run: Run,
  task: () => Promise<void>,
): Promise<void> {
  const client = await tables.connect();
  try {
    await client.query("BEGIN");
    // It does nothing for as long as a copy takes, which some servers do not allow.
    await client.query(
      "SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')",
    );
    await waitForOthers(client, tables.place, schema, run);
    await task();
  } finally {
    // Whoever comes next need not wait until the server sees that we are gone. Where that fails, the lock is gone as well.
    await client.query("ROLLBACK").catch(() => undefined);
    client.release(true);
  }
}

async function waitForOthers(client: PoolClient, place: string, schema: string, run: Run): Promise<void> {
  const end = performance.now() + run.settings.busyTimeoutMs;
  for (;;) {
    const { rows } = await client.query<{ ours: boolean }>(
      "SELECT pg_try_advisory_xact_lock(hashtextextended('perdura copy ' || $1, 0)) AS ours",
      [schema],
    );
    if (rows[0]?.ours === true) return;
    if (performance.now() >= end)
      throw new Stop(
        "in_use",
        `${place}: another copy into the schema ${schema} is at work. Nothing was changed. Run this command again when it has ended.`,
      );
    await run.stage(place, "lock", "waiting for another copy to end");
    await pause(BETWEEN);
  }
}
