/**
 * The tables of perdura in PostgreSQL, for programs that copy rows unchanged, such as perdura-migrate.
 *
 * @module
 */
import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import type { Deleted } from "@perdura/internals/metrics/deletion/deletion.js";
import type { CheckedDeletion, RowsToDelete } from "@perdura/internals/metrics/deletion/deletion_arguments.js";
import type { DeclaredKeys } from "@perdura/internals/metrics/keys/declared_keys.js";
import type { InvalidPattern } from "@perdura/internals/patterns/invalid_patterns.js";
import type { DeletedUsage, UsageToDelete } from "@perdura/internals/patterns/usage_deletion.js";
import type { PoolClient } from "pg";
import { assertPlace, type PostgresPlace } from "./connection/address.ts";
import { sessionOn } from "./connection/connection.ts";
import { failureOf, isConnectionLost } from "./connection/failures.ts";
import { isKnownBroken } from "./connection/new_pool.ts";
import { checkedOptions, type PostgresOptions } from "./connection/options.ts";
import type { PostgresClient } from "./connection/pool_types.ts";
import { UnlimitedConnection } from "./connection/unlimited_connection.ts";
import { declaredKeys, declareKeys } from "./layout/declare_keys.ts";
import { createMissingIndexes, dropIndexesOfEmptyTable } from "./layout/interaction_indexes.ts";
import { TablesOfConnection } from "./layout/opened.ts";
import type { Tables } from "./layout/set_up.ts";
import { type Contents, contentsOf } from "./contents.ts";
import { countDue, deleteRows } from "./metrics/delete_rows.ts";
import { fold } from "./metrics/fold.ts";
import type { Recount } from "./layout/compare_sums.ts";
import { compareSums } from "./metrics/recount.ts";
import { readEveryPattern } from "./patterns/load.ts";
import { countUsage, deleteUsage } from "./patterns/usage_deletion.ts";

export type { Contents, StoredMetrics, StoredUse } from "./contents.ts";
export type { ServerInteraction } from "./metrics/export.ts";
export type { StoredInteraction } from "@perdura/internals/metrics/export_formats.js";
export type { StoredPatterns } from "./patterns/load.ts";
export type { ListedUser, Overview } from "@perdura/internals/metrics/overview_stats.js";
export type { Bucket } from "@perdura/internals/metrics/trends/trend.js";
export type { TrustFigures } from "@perdura/internals/metrics/trends/trust.js";
export type { ChosenRows } from "@perdura/internals/metrics/chosen_rows.js";
export type { DeclaredKeys } from "@perdura/internals/metrics/keys/declared_keys.js";
export type { CheckedDeletion, RowsToDelete } from "@perdura/internals/metrics/deletion/deletion_arguments.js";
export type { UsageToDelete } from "@perdura/internals/patterns/usage_deletion.js";
export type { Range } from "@perdura/internals/metrics/time_range.js";
export type { AskedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
export type { AskedTrend, AskedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
export type { PostgresPlace } from "./connection/address.ts";
export type { PostgresOptions } from "./connection/options.ts";
export type { PostgresClient, PostgresPool, PostgresResult } from "./connection/pool_types.ts";
export type { Names } from "./layout/names.ts";
export type { Tables } from "./layout/set_up.ts";
export type { Recount } from "./layout/compare_sums.ts";

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

  /**
   * Tells why no keys of the metadata can be declared: `not_permitted` for a role that does not own the tables or may not
   * create others.
   *
   * @returns Undefined if they can be declared.
   */
  obstacleToKeys(): Promise<"not_permitted" | undefined> {
    return this.#connection.within("reading", async () => {
      const tables = await this.#opened.find();
      if (tables === undefined) return undefined;
      const [role] = await this.#connection.query<{ may: boolean }>(
        `SELECT pg_has_role(relowner, 'USAGE') AND has_schema_privilege(relnamespace, 'CREATE') AS may
         FROM pg_class WHERE oid = $1::regclass`,
        [tables.names.interactionMetadata],
      );
      return role?.may === true ? undefined : "not_permitted";
    });
  }

  /** Returns the declared keys of the metadata, as a connection of {@link connect} sees them. */
  declaredKeys(client: PostgresClient, { names }: Tables): Promise<DeclaredKeys> {
    return declaredKeys(sessionOn(client as PoolClient), names);
  }

  /** Declares keys of the metadata, as the option `breakdown` of `PostgresMetricsCollector` does. */
  declareKeys(keys: DeclaredKeys): Promise<void> {
    return this.#connection.within("opening", async () =>
      declareKeys(this.#connection, await this.#opened.ensure(), keys),
    );
  }

  /** Returns a connection for transactions of the caller, who releases it. */
  async connect(): Promise<PostgresClient> {
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
  begin(client: PostgresClient, kind: "write" | "read"): Promise<void> {
    return this.#connection.begin(client as PoolClient, kind);
  }

  /**
   * Drops the indexes of the table `interactions` except that of its key, if the table is empty: many rows are then
   * added several times faster. {@link createIndexes} and {@link refresh} create them. Does nothing if another program
   * uses the table, or if the role does not own it.
   *
   * @param client A connection in a transaction of {@link begin}.
   */
  async dropIndexes(client: PostgresClient): Promise<void> {
    const { names } = await this.ensure();
    await this.#connection.within("opening", () => dropIndexesOfEmptyTable(sessionOn(client as PoolClient), names));
  }

  /**
   * Creates the indexes of the table `interactions` that are missing. Other programs that record wait until they exist.
   *
   * @param client A connection in a transaction of {@link begin}.
   */
  async createIndexes(client: PostgresClient): Promise<void> {
    const { names } = await this.ensure();
    await this.#connection.within("opening", () => createMissingIndexes(sessionOn(client as PoolClient), names));
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
   * Creates missing indexes, and updates the sums of the statistics and the statistics of the server's planner, after
   * many rows were added: the first question is not slow then. Other programs can record except while an index is
   * created.
   */
  refresh(): Promise<void> {
    return this.#connection.within("reading", async () => {
      const { names } = await this.#opened.ensure();
      await createMissingIndexes(this.#connection, names);
      const tables = [names.patterns, names.patternUsage, names.interactions, names.interactionMetadata];
      for (const name of tables) await this.#connection.query(`ANALYZE (SKIP_LOCKED) ${name}`);
      await fold(this.#connection, names);
    });
  }

  /**
   * Compares the sums behind the statistics with all rows. Changes nothing.
   *
   * @returns Undefined if the tables do not exist.
   */
  compareSums(): Promise<Recount | undefined> {
    return this.#connection.within("reading", async () => {
      const tables = await this.#opened.find();
      return tables && compareSums(this.#connection, tables);
    });
  }

  /**
   * Reads patterns and metrics in one read-only transaction, which sees one moment. Creates nothing, and does not update
   * the sums of the statistics.
   *
   * @param use Reads what the schema contains; called once.
   * @throws FileNotFoundError if the tables do not exist; UnsupportedFormatError if another version of perdura created
   *   them.
   */
  read<Result>(use: (contents: Contents) => Promise<Result>): Promise<Result> {
    const { place } = this;
    return this.#connection.within("reading", async () => {
      const tables = await this.#opened.find();
      if (tables === undefined) throw new FileNotFoundError("this schema has no tables of perdura.", { path: place });
      // One attempt, because the caller's work cannot be repeated.
      return this.#connection.transaction(
        "read",
        async (session) => use(await contentsOf(session, this.#connection, tables)),
        1,
      );
    });
  }

  /**
   * Counts the interactions and metadata that a deletion would delete.
   *
   * @throws FileNotFoundError if the tables do not exist; the same applies to the next three methods.
   */
  countDue(rows: RowsToDelete): Promise<Deleted> {
    return this.#within("reading", (tables) => countDue(this.#connection, tables, rows));
  }

  /** Deletes interactions, or metadata without one, as `PostgresMetricsCollector.deleteBefore` does. */
  deleteRows(asked: CheckedDeletion): Promise<Deleted> {
    return this.#within("deleting interactions", (tables) => deleteRows(this.#connection, tables, asked));
  }

  /** Counts the uses of patterns that a deletion would delete. */
  countUsage(asked: UsageToDelete): Promise<number> {
    return this.#within("reading", ({ names }) => countUsage(this.#connection, names, asked));
  }

  /** Deletes uses of patterns, as `PostgresPatternPersistence.deleteUsage` does. */
  deleteUsage(asked: UsageToDelete): Promise<DeletedUsage> {
    return this.#within("deleting uses", (tables) => deleteUsage(this.#connection, tables, asked));
  }

  #within<Result>(
    action: "reading" | "deleting interactions" | "deleting uses",
    work: (tables: Tables) => Promise<Result>,
  ): Promise<Result> {
    return this.#connection.within(action, async () => {
      const tables = await this.#opened.find();
      if (tables === undefined)
        throw new FileNotFoundError(`the schema ${this.#connection.options.schema} has no tables of perdura.`, {
          path: this.place,
        });
      return work(tables);
    });
  }

  /** Returns the schemas of the database that have tables of perdura, in the order of their names. */
  schemas(): Promise<string[]> {
    return this.#connection.within("reading", async () => {
      const rows = await this.#connection.query<{ name: string }>(
        `SELECT nspname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE relname = 'perdura_meta' AND relkind = 'r' ORDER BY 1`,
      );
      return rows.map(({ name }) => name);
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
        const found = await readEveryPattern(session, tables.names, place);
        return found && { readable: found.library.size, invalid: found.invalid };
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
