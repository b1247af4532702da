import { newDatabase, type TestDatabase } from "@perdura/test-servers/postgres/database.js";
import { installedBinaries } from "@perdura/test-servers/postgres/installed_binaries.js";
import { startPostgres } from "@perdura/test-servers/postgres/server.js";
import { connected } from "../peers/bare_postgres.ts";

/** A server, and the database with the data that several rows use. */
interface Opened {
  url: string;
  shared: TestDatabase;
  /** Ends a server of ours, with all its databases; absent for one of somebody else. */
  stop?: () => Promise<void>;
}

const namedServer = (): string | undefined => process.env["TEST_PG_URL"] || undefined;

/** Whether there is a server, or what one can be started from. */
export function hasPostgres(): boolean {
  return namedServer() !== undefined || installedBinaries() !== undefined;
}

/**
 * The one server of a run, started for the first row that needs it with PostgreSQL's own settings: each commit waits for
 * the disk. It ends with our process at the latest. `TEST_PG_URL` names another one to use instead.
 */
export class ServerOfRun {
  #opened: Promise<Opened> | undefined;
  readonly #databases: Set<TestDatabase> = new Set();

  /** An empty database, and the address of that for data that several rows use. */
  async databases(): Promise<{ own: TestDatabase; shared: string }> {
    const { url, shared } = await (this.#opened ??= this.#open());
    return { own: await this.#database(url), shared: shared.url };
  }

  async drop(database: TestDatabase): Promise<void> {
    this.#databases.delete(database);
    await database.drop();
  }

  /** Leaves nothing behind, whatever is still connected. */
  async close(): Promise<void> {
    // One that could not be opened said so where it was asked for.
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

/** A server of somebody else may be one for tests, which loses what it has for speed. */
async function warnUnlessDurable(url: string): Promise<void> {
  const client = await connected(url);
  for (const setting of ["fsync", "synchronous_commit"]) {
    const { rows } = await client.query<{ value: string }>("SELECT current_setting($1) AS value", [setting]);
    if (rows[0]?.value === "off")
      process.stderr.write(`PostgreSQL: ${setting} is off on this server; ratios with it are no claims.\n`);
  }
  await client.end();
}
