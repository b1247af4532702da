import { newClusterDatabase, newDatabase, type TestDatabase } from "@perdura/test-servers/postgres/database.js";
import { installedBinaries } from "@perdura/test-servers/postgres/installed_binaries.js";
import { startPostgres } from "@perdura/test-servers/postgres/server.js";
import { connected } from "../peers/bare_postgres.ts";

/** A server, and the database with the data that several rows use. */
interface Opened {
  url: string;
  shared: TestDatabase;
  /** Stops a server of ours, with all its databases; absent for another one. */
  stop?: () => Promise<void>;
}

const namedServer = (): string | undefined => process.env["TEST_PG_URL"] || undefined;

/** Address of the coordinator of a cluster of Citus. */
const namedCluster = (): string | undefined => process.env["TEST_CITUS_URL"] || undefined;

/** True if a cluster of Citus is named; it is never started. */
export function hasCitus(): boolean {
  return namedCluster() !== undefined;
}

/** True if a server exists or can be started. */
export function hasPostgres(): boolean {
  return namedServer() !== undefined || installedBinaries() !== undefined;
}

/** The databases of rows on one kind of server. */
export interface Databases {
  /** Creates an empty database; returns it with the address of the one for shared data. */
  databases(): Promise<{ own: TestDatabase; shared: string }>;
  drop(database: TestDatabase): Promise<void>;
  /** Removes everything, even with open connections. */
  close(): Promise<void>;
}

/** The cluster that `TEST_CITUS_URL` names, with at most `TEST_CITUS_WORKERS` of its workers. */
export class ClusterOfRun implements Databases {
  readonly #databases: Set<TestDatabase> = new Set();
  #shared: Promise<TestDatabase> | undefined;

  async databases(): Promise<{ own: TestDatabase; shared: string }> {
    const { url } = await (this.#shared ??= this.#database());
    return { own: await this.#database(), shared: url };
  }

  async drop(database: TestDatabase): Promise<void> {
    this.#databases.delete(database);
    await database.drop();
  }

  async close(): Promise<void> {
    for (const database of this.#databases) await this.drop(database);
  }

  async #database(): Promise<TestDatabase> {
    const workers = Number(process.env["TEST_CITUS_WORKERS"] || Infinity);
    const database = await newClusterDatabase(namedCluster() as string, workers);
    this.#databases.add(database);
    return database;
  }
}

/**
 * The only server of a run, started with PostgreSQL's defaults for the first row that needs it: each commit is synced.
 * It ends with our process at the latest. `TEST_PG_URL` names another one to use instead.
 */
export class ServerOfRun implements Databases {
  #opened: Promise<Opened> | undefined;
  readonly #databases: Set<TestDatabase> = new Set();

  async databases(): Promise<{ own: TestDatabase; shared: string }> {
    const { url, shared } = await (this.#opened ??= this.#open());
    return { own: await this.#database(url), shared: shared.url };
  }

  async drop(database: TestDatabase): Promise<void> {
    this.#databases.delete(database);
    await database.drop();
  }

  async close(): Promise<void> {
    // A failure to open was reported to the caller.
    const opened = await this.#opened?.catch(() => undefined);
    if (opened?.stop !== undefined) return opened.stop();
    for (const database of this.#databases) await this.drop(database);
  }

  async #open(): Promise<Opened> {
    const named = namedServer();
    const server = named === undefined ? await startPostgres({ durable: true }) : undefined;
    const url = server?.url ?? (named as string);
    await warnUnlessDurable(url);
    return { url, shared: await this.#database(url), ...(server === undefined ? {} : { stop: server.stop }) };
  }

  async #database(url: string): Promise<TestDatabase> {
    const database = await newDatabase(url);
    this.#databases.add(database);
    return database;
  }
}

/** A server that is not ours may be configured for tests, with speed instead of durability. */
async function warnUnlessDurable(url: string): Promise<void> {
  const client = await connected(url);
  for (const setting of ["fsync", "synchronous_commit"]) {
    const { rows } = await client.query<{ value: string }>("SELECT current_setting($1) AS value", [setting]);
    if (rows[0]?.value === "off")
      process.stderr.write(`PostgreSQL: ${setting} is off on this server, so the ratios are not representative.\n`);
  }
  await client.end();
}
