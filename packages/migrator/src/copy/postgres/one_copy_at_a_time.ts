import { setTimeout as pause } from "node:timers/promises";
import type { PostgresTables } from "@perdura/postgres/tables";
import type { PoolClient } from "pg";
import type { HasSettings } from "../../core/options.ts";
import type { Progress } from "../../core/progress.ts";
import { Stop } from "../../core/stop.ts";

/** Held by the one copy that is at work, and by each transaction in which a copy adds rows. A schema's name comes behind them. */
const AT_WORK = "perdura copy";

const ADDING = "perdura adding";

/** Begins a transaction that adds rows: it may end after the copy that began it, where that was killed. */
export async function beginAdding(tables: PostgresTables, client: PoolClient, schema: string): Promise<void> {
  await tables.begin(client, "write");
  await client.query(`SELECT pg_advisory_xact_lock_shared(${lockOf(ADDING)})`, [schema]);
}

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
  run: Progress & HasSettings,
  task: () => Promise<void>,
): Promise<void> {
  const client = await tables.connect();
  try {
    await tables.begin(client, "write");
    await waitForOthers(client, tables.place, schema, run);
    await task();
  } finally {
    // Whoever comes next need not wait until the server sees that we are gone. Where that fails, the lock is gone as well.
    await client.query("ROLLBACK").catch(() => undefined);
    client.release(true);
  }
}

/** How long to wait between two looks whether another copy has ended, in milliseconds. */
const BETWEEN = 100;

/** Until no other copy is at work, and what the last one sent is added or given up. */
async function waitForOthers(
  client: PoolClient,
  place: string,
  schema: string,
  run: Progress & HasSettings,
): Promise<void> {
  const end = performance.now() + run.settings.busyTimeoutMs;
  const have = async (name: string): Promise<void> => {
    for (;;) {
      const { rows } = await client.query<{ ours: boolean }>(
        `SELECT pg_try_advisory_xact_lock(${lockOf(name)}) AS ours`,
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
  };
  await have(AT_WORK);
  await client.query("SAVEPOINT others");
  await have(ADDING);
  // Our own transactions need it.
  await client.query("ROLLBACK TO SAVEPOINT others");
}

/** The number of a lock for the schema that is the first value of the statement. */
function lockOf(name: string): string {
  return `hashtextextended('${name} ' || $1, 0)`;
}
