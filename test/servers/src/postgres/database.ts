import { randomBytes } from "node:crypto";
import { Client } from "pg";

/** A database of its own on a server that others use as well. */
export interface TestDatabase {
  url: string;
  name: string;
  /** Removes it, whoever is still connected. */
  drop(): Promise<void>;
}

/** Creates an empty database with a name of its own on the server that a URL leads to. */
export async function newDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `perdura_${randomBytes(8).toString("hex")}`;
  // Nobody ever connects to template0; template1 cannot be copied while somebody is.
  await run(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, name, drop: () => run(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
