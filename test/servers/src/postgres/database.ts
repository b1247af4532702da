import { Client } from "pg";
import { dropTestObject, testName } from "./test_objects.ts";

/** A separate database on a shared server. */
export interface TestDatabase {
  url: string;
  name: string;
  /** Drops it, even with connections of the same user. */
  drop(): Promise<void>;
}

/**
 * Creates an empty database with a unique name on the server of a URL.
 *
 * @param encoding In PostgreSQL's spelling; that of the server by default.
 */
export async function newDatabase(serverUrl: string, encoding?: string): Promise<TestDatabase> {
  const name = testName();
  await withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::integer AS version",
    );
    // From 15 on, the default writes every page to the WAL, which takes four times as long.
    const strategy = (rows[0]?.version ?? 0) >= 150_000 ? "STRATEGY file_copy" : "";
    const encoded = encoding === undefined ? "" : `ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`;
    // No client ever connects to template0; template1 cannot be copied while a client is connected.
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ${encoded} ${strategy}`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, name, drop: () => withClient(serverUrl, (client) => drop(client, name)) };
}

/**
 * Ends all connections to a database and drops it. A plain user cannot use `WITH (FORCE)` while an autovacuum worker is
 * active there; without it the server itself ends that worker.
 */
async function drop(client: Client, name: string): Promise<void> {
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'",
    [name],
  );
  await dropTestObject(client, "DATABASE", name);
}

async function withClient(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
