import type { Pool, PoolClient, PoolConfig } from "pg";
import { connectTimeoutMs } from "./connect_timeout.ts";
import { driverSettings } from "./driver_settings.ts";
import { codeOf } from "./failures.ts";
import { hideOptions } from "./hidden_options.ts";
import { loadPg } from "./load_pg.ts";
import type { CheckedOptions } from "./options.ts";

/** A pool of our own. */
export interface OwnPool {
  pool: Pool;
  /** Whether every statement ends its wait for a lock by itself; otherwise only those of a transaction do. */
  waitsLimited: boolean;
  /** Whether a connection is one to the server itself, which remembers statements; behind a pooler the next may go to another. */
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
  return codeOf(error) === "08P01" && /lock_timeout/.test((error as Error).message);
}

async function firstConnected(config: PoolConfig, busyTimeoutMs: number): Promise<OwnPool> {
  const pg = await loadPg();
  const pool = listening(new pg.Pool(config));
  try {
    const client = await pool.connect();
    try {
      const { pid, wait } = await processOf(client);
      // A pooler tells of a process of its own, which its clients name to have a statement cancelled.
      const isDirect = pid === String((client as { processID?: number | null }).processID);
      return { pool, isDirect, waitsLimited: wait === String(busyTimeoutMs) };
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end();
    hideOptions(error, config.options);
    throw error;
  }
}

/**
 * The server's process behind a connection, and how many milliseconds it waits for a lock: a pooler may have kept that to
 * itself. `pg_settings` has the number as it is, but makes a row for each setting there is: a good part of what a connection
 * costs the server.
 */
async function processOf(client: PoolClient): Promise<{ pid: string; wait: string }> {
  const { rows } = await client.query<{ pid: string; wait: string }>(
    "SELECT pg_backend_pid()::text AS pid, (extract(epoch FROM current_setting('lock_timeout')::interval) * 1000)::bigint::text AS wait",
  );
  return rows[0] as { pid: string; wait: string };
}

const listenedTo: WeakSet<Pool> = new WeakSet();

/** A connection that breaks while nobody waits for an answer must not end the process; the pool throws it away. */
export function listening(pool: Pool): Pool {
  if (listenedTo.has(pool)) return pool;
  listenedTo.add(pool);
  if (pool.listenerCount("error") === 0) pool.on("error", ignore);
  // A server's last words may come with its first, before whoever asked for the connection has it.
  pool.on("connect", withListener);
  return pool;
}

/** A connection that may break between two statements; the next one fails then. */
export function withListener(client: PoolClient): PoolClient {
  if (!client.listeners("error").includes(ignore)) client.on("error", ignore);
  return client;
}

function ignore(): void {}
