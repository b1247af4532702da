import { type PostgresClient, PostgresTables } from "@perdura/postgres/tables";
import { dropTestObject } from "@perdura/test-servers/postgres/test_objects.js";
import type { ClientBase } from "pg";
import type { Place } from "../row.ts";

/** Each side has its own schema in the database of the row. */
export type Schema = "ours" | "peer";

/** The addresses of a row that needs PostgreSQL. */
export function postgresOf({ postgres }: Place): NonNullable<Place["postgres"]> {
  if (postgres === undefined) throw new Error("This row uses PostgreSQL, but does not declare that it needs it.");
  return postgres;
}

/** The table of interactions in a schema. */
export const interactionsIn = (schema: string): string => `${schema}.interactions`;

/** Creates the empty tables of a side again, and a checkpoint: no round pays for earlier writes. */
export async function emptyTables(place: Place, schema: Schema): Promise<void> {
  const tables = new PostgresTables(postgresOf(place).own, { schema });
  try {
    await withClient(tables, (client) => dropTestObject(client, "SCHEMA", schema));
    await tables.ensure();
    await withClient(tables, (client) => client.query("CHECKPOINT"));
  } finally {
    await tables.close();
  }
}

/** Runs a task on a connection, which is then returned to the pool. */
export async function withClient<Result>(
  tables: PostgresTables,
  task: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = (await tables.connect()) as ClientBase & PostgresClient;
  try {
    return await task(client);
  } finally {
    client.release();
  }
}
