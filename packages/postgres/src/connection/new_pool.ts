import type { Pool, PoolConfig } from "pg";
import { codeOf } from "./failures.ts";
import { loadPg } from "./load_pg.ts";
import type { CheckedOptions } from "./options.ts";

/** A pool of our own. */
export interface OwnPool {
  pool: Pool;
  /** Whether every statement ends its wait for a lock by itself; otherwise only those of a transaction do. */
  waitsLimited: boolean;
}

/**
 * Opens a pool with its first connection.
 *
 * @param address Undefined for libpq's environment variables.
 */
export async function newPool(address: string | undefined, options: CheckedOptions): Promise<OwnPool> {
  const config: PoolConfig = {
    ...(address === undefined ? {} : { connectionString: address }),
    connectionTimeoutMillis: options.connectTimeoutMs,
    // A program that has nothing else to do may end.
    allowExitOnIdle: true,
  };
  try {
    return { pool: await firstConnected({ ...config, lock_timeout: options.busyTimeoutMs }), waitsLimited: true };
  } catch (error) {
    if (!isRefusedSetting(error)) throw error;
    return { pool: await firstConnected(config), waitsLimited: false };
  }
}

/** PgBouncer gives one connection to many clients, and takes only settings that it can tell apart for them. */
function isRefusedSetting(error: unknown): boolean {
  return codeOf(error) === "08P01" && /lock_timeout/.test((error as Error).message);
}

async function firstConnected(config: PoolConfig): Promise<Pool> {
  const pg = await loadPg();
  const pool = listening(new pg.Pool(config));
  try {
    const client = await pool.connect();
    client.release();
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** A connection that breaks while nobody uses it is thrown away by the pool; without a listener it would end the process. */
export function listening(pool: Pool): Pool {
  if (pool.listenerCount("error") === 0) pool.on("error", () => undefined);
  return pool;
}
