/**
 * The tables of perdura in PostgreSQL, for programs that move rows as they are, such as perdura-migrate.
 *
 * @module
 */
import type { InvalidPattern } from "@perdura/internals/patterns/invalid_patterns.js";
import type { PoolClient } from "pg";
import { assertPlace, type PostgresPlace } from "./connection/address.ts";
import { failureOf, isEnd } from "./connection/failures.ts";
import { isKnownBroken } from "./connection/new_pool.ts";
import { checkedOptions, type PostgresOptions } from "./connection/options.ts";
import { UnlimitedConnection } from "./connection/unlimited_connection.ts";
import { OpenedTables } from "./layout/opened.ts";
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
 * Leads to the tables without reading what is in them as patterns or metrics. The server's time limits (`statement_timeout`
 * and the like) do not hold for it.
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
  readonly #opened: OpenedTables;
  readonly #given: Set<PoolClient> = new Set();

  /**
   * Connects with the first call.
   *
   * @throws ValidationError naming the argument or the option.
   */
  constructor(place?: PostgresPlace, options: PostgresOptions = {}) {
    assertPlace(place);
    this.#connection = new UnlimitedConnection(place, checkedOptions(options));
    this.#opened = new OpenedTables(this.#connection);
  }

  /** The address, without a password. */
  get place(): string {
    return this.#connection.place;
  }

  /** The names of the tables, or undefined where they are missing. Creates nothing. */
  look(): Promise<Tables | undefined> {
    return this.#connection.within("opening", () => this.#opened.look());
  }

  /** The names of the tables; creates them where they are missing. */
  ensure(): Promise<Tables> {
    return this.#connection.within("opening", () => this.#opened.ensure());
  }

  /** A connection for transactions of the caller, who releases it. */
  async connect(): Promise<PoolClient> {
    const client = await this.#connection.within("opening", () => this.#connection.client());
    this.#given.add(client);
    return client;
  }

  /**
   * Begins a transaction on a connection of {@link connect}, with the settings that perdura needs. The server's time limits do
   * not hold for it; a wait for a lock ends after the busy time-out.
   *
   * @param kind `write`; or `read`, in which all statements see one moment.
   */
  begin(client: PoolClient, kind: "write" | "read"): Promise<void> {
    return this.#connection.begin(client, kind);
  }

  /**
   * True for what is thrown where the connection to the server broke, or the server ended it: by what PostgreSQL or the
   * network says; what has no code of theirs counts where a connection of {@link connect} broke.
   */
  isBroken(error: unknown): boolean {
    if (!(error instanceof Error) || !isEnd(error)) return false;
    return "severity" in error || "syscall" in error || [...this.#given].some(isKnownBroken);
  }

  /**
   * After many rows were added: brings the sums of the statistics and what the server's planner knows up to date, so that
   * the first question need not. Recording continues meanwhile.
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
   * @returns Undefined where there is nothing to compare: without tables, and where an earlier version of perdura made them.
   */
  compareSums(): Promise<Recount | undefined> {
    return this.#connection.within("reading", async () => {
      const tables = await this.#opened.look();
      if (tables === undefined) return undefined;
      // Version 1 of the tables does not have it; the next program that records resets its sums.
      const [present] = await this.#connection.query<{ keys: string | null }>("SELECT to_regclass($1)::text AS keys", [
        tables.names.idempotencyKeys,
      ]);
      return present?.keys === null ? undefined : compareSums(this.#connection, tables.names);
    });
  }

  /**
   * Reads every pattern as `PostgresPatternPersistence.load` does.
   *
   * @returns How many can be read, and those that cannot; undefined where nothing was saved yet.
   */
  readPatterns(): Promise<{ readable: number; invalid: InvalidPattern[] } | undefined> {
    const { place } = this;
    return this.#connection.within("reading", async () => {
      const tables = await this.#opened.look();
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
   * @param fate What became of the data.
   * @param mayBeWritten True if data may have been changed all the same; `fate` then states it.
   */
  failure(error: unknown, action: string, fate: string, mayBeWritten = false): unknown {
    return failureOf(error, this.place, action, fate, mayBeWritten);
  }

  /** Ends the connections; a pool that was given stays open. */
  async close(): Promise<void> {
    await this.#connection.close();
  }
}
