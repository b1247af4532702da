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
 * Creates an empty database with a unique name on the server of a URL; in a run on a cluster, on all of its servers.
 *
 * @param encoding In PostgreSQL's spelling; that of the server by default.
 */
export async function newDatabase(serverUrl: string, encoding?: string): Promise<TestDatabase> {
  if (process.env["TEST_LAYOUT"] === "citus") return newClusterDatabase(serverUrl);
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
 * Creates an empty database with a unique name on the coordinator and the workers of a cluster of Citus.
 *
 * @param coordinatorUrl URL of a database of the coordinator that has the extension; its workers are used.
 * @param mostWorkers Maximum number of these workers.
 */
export async function newClusterDatabase(
  coordinatorUrl: string,
  mostWorkers: number = Infinity,
): Promise<TestDatabase> {
  const workers = await withClient(coordinatorUrl, async (client) => {
    const { rows } = await client.query<{ host: string; port: string }>(
      "SELECT node_name AS host, node_port::text AS port FROM citus_get_active_worker_nodes() ORDER BY 1, 2",
    );
    return rows.slice(0, mostWorkers);
  });
  const name = testName();
  const atWorker = ({ host, port }: { host: string; port: string }): string =>
    Object.assign(new URL(coordinatorUrl), { hostname: host, port }).href;
  const urls = [coordinatorUrl, ...workers.map(atWorker)];
  const database = (url: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const dropAll = async (): Promise<void> => {
    // A worker that was killed may have left prepared transactions, which keep a database.
    const recover = (client: Client): Promise<unknown> => client.query("SELECT recover_prepared_transactions()");
    const failures = await failuresOf([
      () => withClient(database(coordinatorUrl), recover),
      ...urls.map((url) => () => withClient(url, (client) => drop(client, name))),
    ]);
    if (failures.length > 0) throw failures[0];
  };
  try {
    for (const url of urls) {
      await withClient(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`));
      await withClient(database(url), (client) => client.query("CREATE EXTENSION citus"));
    }
    // Workers do not know the limits of the sessions of the coordinator.
    for (const url of urls.slice(1))
      await withClient(url, (client) => client.query(`ALTER DATABASE ${name} SET lock_timeout = '5s'`));
    const { hostname, port } = new URL(coordinatorUrl);
    await withClient(database(coordinatorUrl), async (client) => {
      await client.query("SELECT citus_set_coordinator_host($1, $2)", [hostname, Number(port || 5432)]);
      for (const worker of workers) await addWorker(client, worker);
      // Tests create many tables; with more shards, that takes most of their time.
      await client.query(`ALTER DATABASE ${name} SET citus.shard_count = 8`);
    });
  } catch (error) {
    await dropAll().catch(() => undefined);
    throw error;
  }
  return { url: database(coordinatorUrl), name, drop: dropAll };
}

/** Number of attempts to add a worker. */
const MOST_TRIES = 5;

/** Adding a worker writes the roles of its server, which fails if another test changes them at this moment. */
async function addWorker(client: Client, { host, port }: { host: string; port: string }): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query("SELECT citus_add_node($1, $2)", [host, port]);
      return;
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
    }
  }
}

/** Runs every task, even after one failed, so that as little as possible is left. */
async function failuresOf(tasks: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const task of tasks) await task().catch((error: unknown) => failures.push(error));
  return failures;
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

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
