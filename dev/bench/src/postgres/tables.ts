import { type PostgresClient, type PostgresOptions, PostgresTables } from "@perdura/postgres/tables";
import { dropTestObject } from "@perdura/test-servers/postgres/test_objects.js";
import type { ClientBase } from "pg";
import type { Addresses, Place } from "../row.ts";

/** Each side has its own schema in the database of the row. */
export type Schema = "ours" | "peer";

/** The addresses of a row that needs PostgreSQL. */
export function postgresOf({ postgres }: Place): Addresses {
  if (postgres === undefined) throw new Error("This row uses PostgreSQL, but does not declare that it needs it.");
  return postgres;
}

/** A database of a row, and the layout of its tables. */
export interface Database {
  addresses: Addresses;
  layout: Pick<PostgresOptions, "distributed">;
}

/** The databases on one server. */
export const onServer = (place: Place): Database => ({ addresses: postgresOf(place), layout: {} });

/** The databases on a cluster, whose tables are distributed. */
export function onCluster({ cluster }: Place): Database {
  if (cluster === undefined) throw new Error("This row uses a cluster, but does not declare that it needs it.");
  return { addresses: cluster, layout: { distributed: "citus" } };
}

/** The table of interactions in a schema. */
export const interactionsIn = (schema: string): string => `${schema}.interactions`;

/** Creates the empty tables of a side again, and a checkpoint: no round pays for earlier writes. */
export async function emptyTables({ addresses, layout }: Database, schema: Schema): Promise<void> {
  const tables = new PostgresTables(addresses.own, { schema, ...layout });
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
