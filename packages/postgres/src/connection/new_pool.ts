import type { Pool, PoolClient, PoolConfig } from "pg";
import { driverSettings, type Host } from "./driver_settings.ts";
import { codeOf } from "./failures.ts";
import { hideOptions } from "./hidden_options.ts";
import { loadPg } from "./load_pg.ts";
import type { CheckedOptions } from "./options.ts";
import { HAS_SETTINGS, settingsStatement } from "./settings.ts";
import type { PostgresPool } from "./pool_types.ts";
import { connected, connectedNow, rowsOf } from "./statements.ts";
import { monotonicMs } from "@perdura/internals/runtime/monotonic.js";

/** A pool with the properties of its sessions. */
export interface OwnPool {
  pool: Pool;
  /**
   * True if a statement may run outside of a transaction: the session limits the wait for a lock and has the required
   * settings. Otherwise each statement runs in a transaction that sets them.
   */
  isPlain: boolean;
  /**
   * True if connections lead directly to the server, which remembers prepared statements. A pooler may send the next
   * statement to another session.
   */
  isDirect: boolean;
}

/**
 * Opens a pool and its first connection.
 *
 * @param address Undefined to use libpq's environment variables.
 * @param host One of the servers of the address.
 */
export async function newPool(
  address: string | undefined,
  host: Host,
  options: CheckedOptions,
  connectionTimeoutMillis: number,
): Promise<OwnPool> {
  const config: PoolConfig = {
    ...(await driverSettings(address, host)),
    connectionTimeoutMillis,
    // Idle connections do not keep the program running.
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

/**
 * True if PgBouncer rejects a setting. It shares one connection between many clients, and only accepts settings that it
 * can track for each client.
 */
function isRefusedSetting(error: unknown): boolean {
  return codeOf(error) === "08P01";
}

async function firstConnected(config: PoolConfig, busyTimeoutMs: number): Promise<OwnPool> {
  const pg = await loadPg();
  const pool = withPoolListener(new pg.Pool(config));
  try {
    const client = await connectedNow(pool);
    try {
      const { pid, wait, has_needed: hasNeeded } = await propertiesOf(client);
      // A pooler reports a process id of its own, which its clients use to cancel a statement.
      const isDirect = pid === String((client as { processID?: number | null }).processID);
      // Behind a pooler, a session setting would affect other clients.
      if (isDirect && !hasNeeded) await applySettings(pool, client);
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

/** Checks which of the required settings the sessions of a caller's pool have. */
export async function givenPool(given: PostgresPool): Promise<OwnPool> {
  const pool = withPoolListener(given as Pool);
  const client = withListener(await connected(pool));
  let broken = true;
  try {
    const { has_needed: isPlain } = await propertiesOf(client);
    broken = false;
    return { pool, isPlain, isDirect: false };
  } finally {
    client.release(broken);
  }
}

/** Applies the required settings to a connection, and to every later connection before other statements. */
async function applySettings(pool: Pool, client: PoolClient): Promise<void> {
  const set = async (each: PoolClient): Promise<void> => {
    await rowsOf(each, settingsStatement("SESSION"), [], false);
  };
  pool.on("connect", (each) => {
    // A connection without the settings must not be used.
    set(each).catch(() => void brokenClients.add(each));
  });
  await set(client);
}

/**
 * Properties of a session: the process id at the server, the wait for a lock in milliseconds (a pooler may not have
 * passed the setting on), and whether it has the required settings. `pg_settings` would show the number directly, but
 * builds a row for every setting, which is a considerable part of the server's work for a connection.
 */
async function propertiesOf(client: PoolClient): Promise<{ pid: string; wait: number; has_needed: boolean }> {
  const rows = await rowsOf<{ pid: string; wait: number; has_needed: boolean }>(
    client,
    `SELECT pg_backend_pid()::text AS pid, ${HAS_SETTINGS} AS has_needed,
       (extract(epoch FROM current_setting('lock_timeout')::interval) * 1000)::bigint AS wait`,
    [],
    false,
  );
  return rows[0] as { pid: string; wait: number; has_needed: boolean };
}

const poolsWithListener: WeakSet<Pool> = new WeakSet();

/** Handles errors of idle connections: they must not end the process, and the pool discards the connection. */
function withPoolListener(pool: Pool): Pool {
  if (poolsWithListener.has(pool)) return pool;
  poolsWithListener.add(pool);
  if (pool.listenerCount("error") === 0) pool.on("error", ignore);
  // The server may close a connection at once, before the caller gets it.
  pool.on("connect", withListener);
  return pool;
}

/** Connections that broke between two statements. */
const brokenClients: WeakSet<PoolClient> = new WeakSet();

export function isKnownBroken(client: PoolClient): boolean {
  return brokenClients.has(client);
}

/** Records if a connection breaks between two statements; the next statement is not sent then. */
function withListener(client: PoolClient): PoolClient {
  if (!client.listeners("error").includes(markBroken)) {
    client.on("error", markBroken);
    openedClients.set(client, monotonicMs());
  }
  return client;
}

/** The times at which connections were opened, or first seen, in milliseconds. */
const openedClients: WeakMap<PoolClient, number> = new WeakMap();

/** Maximum number of connections that are replaced before one is used anyway: more than a pool has. */
const MOST_REPLACED = 100;

/**
 * Replaces broken connections, and those that were opened before a time of `monotonicMs()`, until one is neither.
 * Nothing was sent through them yet.
 */
export async function usableClient(connect: () => Promise<PoolClient>, since: number): Promise<PoolClient> {
  for (let tries = 1; ; tries += 1) {
    const client = withListener(await connect());
    if ((!isKnownBroken(client) && !isOlderThan(client, since)) || tries >= MOST_REPLACED) return client;
    client.release(true);
  }
}

function isOlderThan(client: PoolClient, time: number): boolean {
  return (openedClients.get(client) ?? 0) <= time;
}

function markBroken(this: PoolClient): void {
  brokenClients.add(this);
}

function ignore(): void {}
