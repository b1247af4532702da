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
  await withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::integer AS version",
    );
    // From 15 on, every page goes through the log by default, which takes four times as long.
    const strategy = (rows[0]?.version ?? 0) >= 150_000 ? "STRATEGY file_copy" : "";
    // Nobody ever connects to template0; template1 cannot be copied while somebody is.
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ${strategy}`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = (client: Client): Promise<unknown> => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  return { url: url.href, name, drop: () => withClient(serverUrl, drop) };
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
