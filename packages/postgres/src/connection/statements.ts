import { setTimeout } from "node:timers/promises";
import type { Pool, PoolClient, QueryResultRow } from "pg";
import { STANDARD_CONNECT_MS } from "./connect_timeout.ts";
import { isOccupied, markDriverError } from "./failures.ts";
import { rawTypes } from "./raw_types.ts";
import { monotonicMs } from "@perdura/internals/runtime/monotonic.js";

/** Values of a statement's parameters; arrays become PostgreSQL arrays. */
export type Values = readonly unknown[];

/**
 * Sends a statement.
 *
 * @param maybeDone True if the statement may be committed although no answer arrives.
 * @param name See `Session.query`.
 */
export async function rowsOf<Row extends QueryResultRow>(
  client: PoolClient,
  text: string,
  values: Values,
  maybeDone: boolean,
  name?: string,
): Promise<Row[]> {
  try {
    const { rows } = await client.query<Row>({
      text,
      values: values as unknown[],
      types: rawTypes,
      ...(name && { name }),
    });
    return rows;
  } catch (error) {
    throw markDriverError(error, maybeDone);
  }
}

/** First and longest pause before a server that accepts no connection is asked again, in milliseconds. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [20, 500];

/** Waits for a connection of a pool, up to its time limit for one. If that fails, nothing was sent. */
export function connected(pool: Pool): Promise<PoolClient> {
  return retryOccupied(pool.options?.connectionTimeoutMillis ?? STANDARD_CONNECT_MS, () => connectedNow(pool));
}

/** As {@link connected}, but fails if the server accepts no connection now. */
export async function connectedNow(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw markDriverError(error, false);
  }
}

/**
 * Runs a task again while a server has too many clients, starts or stops.
 *
 * @param limit Time in milliseconds after which the task is not run again; 0 for no limit.
 */
export async function retryOccupied<Result>(limit: number, task: () => Promise<Result>): Promise<Result> {
  const end = limit === 0 ? Infinity : monotonicMs() + limit;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await task();
    } catch (error) {
      if (!isOccupied(error) || monotonicMs() + pause > end) throw error;
    }
    await setTimeout(pause);
  }
}
