import type { Pool, PoolClient, QueryResultRow } from "pg";
import { markDriverError } from "./failures.ts";
import { rawTypes } from "./raw_types.ts";

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

/** Waits for a connection. If that fails, nothing was sent. */
export async function connected(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw markDriverError(error, false);
  }
}
