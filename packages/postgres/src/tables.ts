/**
 * The tables of perdura in PostgreSQL, for programs that copy rows unchanged, such as perdura-migrate.
 *
 * @module
 */
import type { InvalidPattern } from "@perdura/internals/patterns/invalid_patterns.js";
import type { PoolClient } from "pg";
import { assertPlace, type PostgresPlace } from "./connection/address.ts";
import { failureOf, isConnectionLost } from "./connection/failures.ts";
import { isKnownBroken } from "./connection/new_pool.ts";
import { checkedOptions, type PostgresOptions } from "./connection/options.ts";
import { UnlimitedConnection } from "./connection/unlimited_connection.ts";
import { TablesOfConnection } from "./layout/opened.ts";
import type { Tables } from "./layout/set_up.ts";
import { fold } from "./metrics/fold.ts";
import { compareSums, type Recount } from "./metrics/recount.ts";
import { readLibrary } from "./patterns/load.ts";

export type { PostgresPlace } from "./connection/address.ts";
export type { PostgresOptions } from "./connection/options.ts";
export type { Names } from "./layout/names.ts";
export type { Tables } from "./layout/set_up.ts";
export type { Recount } from "./metrics/recount.ts";

/**
 * Gives access to the tables, without interpreting rows as patterns or metrics. The server's time limits
 * (`statement_timeout` and similar settings) do not apply to its statements.
 *
 * @example
 * ```ts
 * import { PostgresTables } from "@perdura/postgres/tables";
 *
 * const tables = new PostgresTables("postgres://localhost/agents");
 * const { names } = await tables.ensure();
 * console.log(names.interactions); // "perdura".interactions
 * await tables.close();
 * ```
 */
export class PostgresTables {
  readonly #connection: UnlimitedConnection;
  readonly #opened: TablesOfConnection;
  readonly #given: Set<PoolClient> = new Set();

  /**
   * Creates an object for one server. The first call of a method opens the connection.
   *
   * @throws ValidationError that names the argument or the option.
   */
  constructor(place?: PostgresPlace, options: PostgresOptions = {}) {
    assertPlace(place);
    this.#connection = new UnlimitedConnection(place, checkedOptions(options));
    this.#opened = new TablesOfConnection(this.#connection);
  }

  /** The address, without a password. */
  get place(): string {
    return this.#connection.place;
  }

  /** Returns the names of the tables, or undefined if the tables do not exist. Creates nothing. */
  look(): Promise<Tables | undefined> {
    return this.#connection.within("opening", () => this.#opened.find());
  }

  /** Returns the names of the tables. Creates missing tables. */
  ensure(): Promise<Tables> {
    return this.#connection.within("opening", () => this.#opened.ensure());
  }

  /** Returns a connection for transactions of the caller, who releases it. */
  async connect(): Promise<PoolClient> {
    const client = await this.#connection.within("opening", () => this.#connection.client());
    this.#given.add(client);
    return client;
  }

  /**
   * Begins a transaction on a connection of {@link connect}, with the settings that perdura needs. The server's time
   * limits do not apply to it; a wait for a lock ends after the busy time-out.
   *
   * @param kind `write`; or `read`, in which all statements see one moment.
   */
  begin(client: PoolClient, kind: "write" | "read"): Promise<void> {
    return this.#connection.begin(client, kind);
  }

  /**
   * True for an error that shows a broken connection, or one that the server closed. The code of PostgreSQL or the
   * network decides. An error without such a code counts if a connection of {@link connect} is broken.
   */
  isBroken(error: unknown): boolean {
    if (!(error instanceof Error) || !isConnectionLost(error)) return false;
    return "severity" in error || "syscall" in error || [...this.#given].some(isKnownBroken);
  }

  /**
   * Updates the sums of the statistics and the statistics of the server's planner after many rows were added, so that
   * the first question is not slow. Other programs can record during this time.
   */
  refresh(): Promise<void> {
    return this.#connection.within("reading", async () => {
      const { names } = await this.#opened.ensure();
      const tables = [names.patterns, names.patternUsage, names.interactions, names.interactionMetadata];
      for (const name of tables) await this.#connection.query(`ANALYZE (SKIP_LOCKED) ${name}`);
      await fold(this.#connection, names);
    });
  }

  /**
   * Compares the sums behind the statistics with all rows. Changes nothing.
   *
   * @returns Undefined if there is nothing to compare: the tables do not exist, or an earlier version of perdura
   * created them.
   */
  compareSums(): Promise<Recount | undefined> {
    return this.#connection.within("reading", async () => {
      const tables = await this.#opened.find();
      if (tables === undefined) return undefined;
      // Earlier versions do not have this table; the next program that records resets their sums.
      const [present] = await this.#connection.query<{ days: string | null }>("SELECT to_regclass($1)::text AS days", [
        tables.names.days,
      ]);
      return present?.days === null ? undefined : compareSums(this.#connection, tables.names);
    });
  }

  /**
   * Reads every pattern like `PostgresPatternPersistence.load`.
   *
   * @returns Number of valid patterns, and the invalid ones; undefined if no library was saved yet.
   */
  readPatterns(): Promise<{ readable: number; invalid: InvalidPattern[] } | undefined> {
    const { place } = this;
    return this.#connection.within("reading", async () => {
      const tables = await this.#opened.find();
      if (tables === undefined) return undefined;
      return this.#connection.transaction("read", async (session) => {
        const invalid: InvalidPattern[] = [];
        const options = { onInvalid: () => undefined };
        const library = await readLibrary(session, tables.names, place, options, invalid);
        return library && { readable: library.size, invalid };
      });
    });
  }

  /**
   * Converts an error that a connection threw to an error of perdura that names the place.
   *
   * @param action The attempted action, for example `copying`.
   * @param fate State of the data after the failure, as a sentence.
   * @param mayBeWritten True if data may have been changed although the action failed; `fate` then states it.
   */
  failure(error: unknown, action: string, fate: string, mayBeWritten = false): unknown {
    return failureOf(error, this.place, action, fate, mayBeWritten);
  }

  /** Closes the connections; a pool that was passed stays open. */
  async close(): Promise<void> {
    await this.#connection.close();
  }
}
