import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { InteractionRecord } from "@perdura/v16";
import type { Client, ClientBase } from "pg";

/** The columns of a text for COPY, in order. */
export const COPIED_COLUMNS = ["id", "user_id", "level", "success", "response_time_ms", "timestamp"] as const;

/** The plain driver on one connection. Imported only when used, so that its memory does not count for other sides. */
export async function connected(address: string): Promise<Client> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  return client;
}

/** A plain statement with its values, as most programs send it. */
export async function insert(client: ClientBase, table: string, record: InteractionRecord): Promise<void> {
  await client.query(`INSERT INTO ${table} (user_id, level, success, response_time_ms) VALUES ($1, $2, $3, $4)`, [
    record.user_id,
    record.level,
    record.success,
    record.response_time_ms,
  ]);
}

/** PostgreSQL's own way for many rows: the bytes of a file are sent unchanged; returns the number of rows. */
export async function copyInto(
  client: ClientBase,
  table: string,
  path: string,
  format: "text" | "csv" = "text",
): Promise<number> {
  const { from } = await import("pg-copy-streams");
  const copy = client.query(from(`COPY ${table} (${COPIED_COLUMNS.join(", ")}) FROM STDIN (FORMAT ${format})`));
  await pipeline(createReadStream(path), copy);
  return copy.rowCount;
}

/** All of perdura's statistics of a user, computed from the rows in one statement. */
export async function userStatistics(client: ClientBase, table: string, userId: string): Promise<unknown> {
  const levels = [1, 2, 3, 4, 5].map((level) => `count(*) FILTER (WHERE level = ${level}) AS level_${level}_count`);
  const { rows } = await client.query(
    `SELECT count(*) AS total_operations, avg(success::integer) AS success_rate,
       avg(response_time_ms) AS avg_response_time_ms, ${levels.join(", ")},
       (array_agg(level ORDER BY id DESC))[1] AS current_level, min(timestamp) AS first_use, max(timestamp) AS last_use
     FROM ${table} WHERE user_id = $1`,
    [userId],
  );
  return rows[0];
}
