import { Client } from "pg";
import { dropTestObject, testName } from "./test_objects.ts";

/** A database of its own on a server that others use as well. */
export interface TestDatabase {
  url: string;
  name: string;
  /** Removes it, whoever of the same user is still connected. */
  drop(): Promise<void>;
}

/**
 * Creates an empty database with a name of its own on the server that a URL leads to.
 *
 * @param encoding As PostgreSQL calls it; that of the server by default.
 */
export async function newDatabase(serverUrl: string, encoding?: string): Promise<TestDatabase> {
  const name = testName();
  await withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::integer AS version",
    );
    // From 15 on, every page goes through the log by default, which takes four times as long.
    const strategy = (rows[0]?.version ?? 0) >= 150_000 ? "STRATEGY file_copy" : "";
    const encoded = encoding === undefined ? "" : `ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`;
    // Nobody ever connects to template0; template1 cannot be copied while somebody is.
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ${encoded} ${strategy}`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, name, drop: () => withClient(serverUrl, (client) => drop(client, name)) };
}

/**
 * Ends all connections to a database and drops it. `WITH (FORCE)` is refused to a plain user while the server's own vacuum
 * works there; without it the server ends that one itself.
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
