import { setTimeout as pause } from "node:timers/promises";
import type { PostgresTables } from "@perdura/postgres/tables";
import type { PoolClient } from "pg";
import type { HasSettings } from "../../core/options.ts";
import type { Progress } from "../../core/progress.ts";
import { Stop } from "../../core/stop.ts";
import { monotonicMs } from "@perdura/internals/runtime/monotonic.js";

/**
 * Names of the locks of the one active copy, and of each transaction in which a copy adds rows. The schema's name is
 * appended.
 */
const COPY_LOCK = "perdura copy";

const ADDING_LOCK = "perdura adding";

/** Starts a transaction that adds rows: if its copy is killed, it may end later than the copy. */
export async function beginAdding(tables: PostgresTables, client: PoolClient, schema: string): Promise<void> {
  await tables.begin(client, "write");
  await client.query(`SELECT pg_advisory_xact_lock_shared(${lockOf(ADDING_LOCK)})`, [schema]);
}

/**
 * Runs a task while no other copy works on the tables of a schema: otherwise its comparison would become invalid.
 *
 * The lock belongs to a transaction of a separate connection. A session's lock would stay with a pooler's connection
 * after our end, and block all copies; a transaction reserves the pooler's connection, and ends with us.
 *
 * @throws Stop with `in_use` if another copy works for longer than the busy time-out.
 */
export async function withCopyLock(
  tables: PostgresTables,
  schema: string,
  run: Progress & HasSettings,
  task: () => Promise<void>,
): Promise<void> {
  const client = (await tables.connect()) as PoolClient;
  try {
    await tables.begin(client, "write");
    await waitForOthers(client, tables.place, schema, run);
    await task();
  } finally {
    // So that the next copy need not wait until the server notices our end. If it fails, the lock is gone as well.
    await client.query("ROLLBACK").catch(() => undefined);
    client.release(true);
  }
}

/** Milliseconds between two attempts to get the lock. */
const RETRY_MS = 100;

/** Waits until no other copy is active, and the transactions of the last one have ended. */
async function waitForOthers(
  client: PoolClient,
  place: string,
  schema: string,
  run: Progress & HasSettings,
): Promise<void> {
  const end = monotonicMs() + run.settings.busyTimeoutMs;
  const have = async (name: string): Promise<void> => {
    for (;;) {
      const { rows } = await client.query<{ ours: boolean }>(
        `SELECT pg_try_advisory_xact_lock(${lockOf(name)}) AS ours`,
        [schema],
      );
      if (rows[0]?.ours === true) return;
      if (monotonicMs() >= end)
        throw new Stop(
          "in_use",
          `${place}: another copy into the schema ${schema} is running. Nothing was changed. Run this command again when it has ended.`,
        );
      await run.stage(place, "lock", "waiting for another copy to end");
      await pause(RETRY_MS);
    }
  };
  await have(COPY_LOCK);
  await client.query("SAVEPOINT others");
  await have(ADDING_LOCK);
  // Releases it, because our own transactions need it.
  await client.query("ROLLBACK TO SAVEPOINT others");
}

/** SQL for the number of a lock for the schema that is the first parameter. */
function lockOf(name: string): string {
  return `hashtextextended('${name} ' || $1, 0)`;
}
