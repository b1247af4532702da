import type { Pool, PoolClient, PoolConfig } from "pg";
import { connectTimeoutMs } from "./connect_timeout.ts";
import { driverSettings } from "./driver_settings.ts";
import { codeOf } from "./failures.ts";
import { hideOptions } from "./hidden_options.ts";
import { loadPg } from "./load_pg.ts";
import type { CheckedOptions } from "./options.ts";
import { HAS_NEEDED, setNeeded } from "./settings.ts";
import { connected, rowsOf } from "./statements.ts";

/** A pool of our own. */
export interface OwnPool {
  pool: Pool;
  /**
   * True if a statement may run outside of a transaction: its wait for a lock is limited, and the session has the required
   * settings. Otherwise each statement is a transaction that sets them.
   */
  isPlain: boolean;
  /** True if connections go to the server itself, which remembers statements; a pooler may send the next to another session. */
  isDirect: boolean;
}

/**
 * Opens a pool with its first connection.
 *
 * @param address Undefined for libpq's environment variables.
 */
export async function newPool(address: string | undefined, options: CheckedOptions): Promise<OwnPool> {
  const config: PoolConfig = {
    ...(await driverSettings(address)),
    connectionTimeoutMillis: options.connectTimeoutMs ?? connectTimeoutMs(address),
    // A program that has nothing else to do may end.
    allowExitOnIdle: true,
  };
  const { busyTimeoutMs } = options;
  try {
    return await firstConnected({ ...config, lock_timeout: busyTimeoutMs }, busyTimeoutMs);
  } catch (error) {
    if (!isRefusedSetting(error)) throw error;
    return await firstConnected(config, busyTimeoutMs);
  }
}

/** PgBouncer gives one connection to many clients, and takes only settings that it can tell apart for them. */
function isRefusedSetting(error: unknown): boolean {
  return codeOf(error) === "08P01";
}

async function firstConnected(config: PoolConfig, busyTimeoutMs: number): Promise<OwnPool> {
  const pg = await loadPg();
  const pool = listening(new pg.Pool(config));
  try {
    const client = await connected(pool);
    try {
      const { pid, wait, has_needed: hasNeeded } = await sessionOf(client);
      // A pooler reports its own process id, which its clients use to cancel a statement.
      const isDirect = pid === String((client as { processID?: number | null }).processID);
      // Behind a pooler a setting of the session would reach other clients.
      if (isDirect && !hasNeeded) await giveNeeded(pool, client);
      return { pool, isDirect, isPlain: (isDirect || hasNeeded) && wait === busyTimeoutMs };
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end();
    hideOptions(error, config.options);
    throw error;
  }
}

/** Looks what the sessions of a pool have that is the caller's. */
export async function givenPool(given: Pool): Promise<OwnPool> {
  const pool = listening(given);
  const client = withListener(await connected(pool));
  let broken = true;
  try {
    const { has_needed: isPlain } = await sessionOf(client);
    broken = false;
    return { pool, isPlain, isDirect: false };
  } finally {
    client.release(broken);
  }
}

/** Sets what is needed for a connection, and for all that are opened later before anything else is sent. */
async function giveNeeded(pool: Pool, client: PoolClient): Promise<void> {
  const set = async (each: PoolClient): Promise<void> => {
    await rowsOf(each, setNeeded("SESSION"), [], false);
  };
  pool.on("connect", (each) => {
    // A connection without the settings is not used.
    set(each).catch(() => void knownBroken.add(each));
  });
  await set(client);
}

/**
 * The server's process behind a connection, how many milliseconds it waits for a lock (a pooler may have kept that to
 * itself), and whether it has the settings that are needed. `pg_settings` has the number as it is, but makes a row for each
 * setting there is: a good part of what a connection costs the server.
 */
async function sessionOf(client: PoolClient): Promise<{ pid: string; wait: number; has_needed: boolean }> {
  const rows = await rowsOf<{ pid: string; wait: number; has_needed: boolean }>(
    client,
    `SELECT pg_backend_pid()::text AS pid, ${HAS_NEEDED} AS has_needed,
       (extract(epoch FROM current_setting('lock_timeout')::interval) * 1000)::bigint AS wait`,
    [],
    false,
  );
  return rows[0] as { pid: string; wait: number; has_needed: boolean };
}

const listenedTo: WeakSet<Pool> = new WeakSet();

/** An idle connection that breaks must not end the process; the pool discards it. */
function listening(pool: Pool): Pool {
  if (listenedTo.has(pool)) return pool;
  listenedTo.add(pool);
  if (pool.listenerCount("error") === 0) pool.on("error", ignore);
  // The server may close a connection at once, before the caller has it.
  pool.on("connect", withListener);
  return pool;
}

/** Connections that broke between two statements. */
const knownBroken: WeakSet<PoolClient> = new WeakSet();

export function isKnownBroken(client: PoolClient): boolean {
  return knownBroken.has(client);
}

/** A connection that may break between two statements; the next one is not sent then. */
export function withListener(client: PoolClient): PoolClient {
  if (!client.listeners("error").includes(noteBroken)) client.on("error", noteBroken);
  return client;
}

function noteBroken(this: PoolClient): void {
  knownBroken.add(this);
}

function ignore(): void {}
