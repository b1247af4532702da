import { assertNoMore } from "@perdura/internals/text/options.js";
import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import {
  assertLibraryLoadOptions,
  type InvalidPattern,
  type LibraryLoadOptions,
  reportInvalid,
} from "@perdura/internals/patterns/invalid_patterns.js";
import { rememberUse } from "@perdura/internals/patterns/known_use.js";
import type { PatternLibrary, PatternUsage } from "@perdura/internals/patterns/library.js";
import type { SaveResult, SaveToSqliteOptions } from "@perdura/internals/patterns/save_result.js";
import {
  checkedUsageDeletion,
  type DeletedUsage,
  type DeleteUsageOptions,
} from "@perdura/internals/patterns/usage_deletion.js";
import { assertPlace, type PostgresPlace } from "../connection/address.ts";
import { Connection } from "../connection/connection.ts";
import { checkedOptions, type PostgresOptions } from "../connection/options.ts";
import { withCounters } from "../layout/counters.ts";
import { TablesOfConnection } from "../layout/opened.ts";
import { readLibrary } from "./load.ts";
import { prepareSave, writeLibrary } from "./save.ts";
import { inTurn } from "./turns.ts";
import { deleteUsage } from "./usage_deletion.ts";

/** Options of a save for existing patterns; see `PatternPersistence.saveToSqlite`. */
export type SaveOptions = SaveToSqliteOptions;

/**
 * Saves and loads a pattern library in PostgreSQL (specification, section 4.1). The first save creates the tables.
 *
 * @example
 * ```ts
 * const patterns = new PostgresPatternPersistence("postgres://localhost/agents");
 * const library = new PatternLibrary();
 * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
 * await patterns.save(library);
 * console.log((await patterns.load()).get("p1")?.tags); // [ 'api' ]
 * await patterns.close();
 * ```
 */
export class PostgresPatternPersistence {
  readonly #connection: Connection;
  readonly #tables: TablesOfConnection;

  /**
   * Creates an object for one server. The first call of a method opens the connection.
   *
   * @param place An address, a pool of the package `pg`, or undefined for libpq's environment variables.
   * @param options Schema and time limits.
   * @throws ValidationError that names the argument or the option.
   */
  constructor(place?: PostgresPlace, options: PostgresOptions = {}) {
    assertPlace(place);
    this.#connection = new Connection(place, checkedOptions(options));
    this.#tables = new TablesOfConnection(this.#connection);
  }

  /**
   * Writes the tables `patterns` and `pattern_usage` in one transaction. Each queued use is written once. The library
   * is copied at the time of the call; later changes do not affect this save.
   *
   * @param options.mode `merge` (the default) keeps patterns that the library does not have; `replace` removes them; `add`
   * also keeps the content of those that the database has.
   * @returns Numbers of rows that were written and removed.
   * @throws ValidationError for a library that PostgreSQL cannot store (a NUL character, a lone surrogate); BusyError
   * if other transactions hold a lock for too long; StorageError if the server cannot be reached. No stored data is
   * changed, unless `mayBeWritten` of the error is true.
   *
   * @example
   * ```ts
   * const patterns = new PostgresPatternPersistence("postgres://localhost/agents");
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once" });
   * console.log((await patterns.save(library, { mode: "replace" })).patterns); // 1
   * await patterns.close();
   * ```
   */
  async save(library: PatternLibrary, options: SaveOptions = {}): Promise<SaveResult> {
    assertNoMore("save", arguments, 2);
    const save = prepareSave(library, this.#connection.place, options, this.#source);
    // Removed from the queue at once, so that another save that begins before the end of this one does not write them,
    // too.
    library.pendingUsage.length = 0;
    let stillPending = save.pendingUsage;
    try {
      return await inTurn(library, this.#source, () =>
        this.#connection.within("saving", async () => {
          const { names } = await this.#tables.ensure();
          const written = await withCounters(this.#connection, names, () =>
            this.#connection.transaction("write", (session) => writeLibrary(session, names, save)),
          );
          stillPending = written.stillPending;
          save.remember();
          return written.result;
        }),
      );
    } finally {
      putBack(library.pendingUsage, stillPending);
    }
  }

  /**
   * Reads the saved library, with its patterns in their order. Nothing is created.
   *
   * @param options.nonFinite As for `PatternPersistence.loadFromSqlite`.
   * @param options.onInvalid As for `PatternPersistence.loadFromSqlite`.
   * @throws FileNotFoundError if no library was saved yet; CorruptDataError for a row that is not a pattern.
   *
   * @example
   * ```ts
   * const patterns = new PostgresPatternPersistence("postgres://localhost/agents");
   * await patterns.save(new PatternLibrary());
   * console.log((await patterns.load()).size); // 0
   * await patterns.close();
   * ```
   */
  async load(options: LibraryLoadOptions = {}): Promise<PatternLibrary> {
    assertNoMore("load", arguments, 1);
    assertLibraryLoadOptions(options);
    const { place } = this.#connection;
    const invalid: InvalidPattern[] = [];
    const library = await this.#connection.within("loading", async () => {
      const tables = await this.#tables.find();
      if (tables === undefined) return undefined;
      // A repeated transaction reports the same rows again.
      return this.#connection.transaction("read", (session) => {
        invalid.length = 0;
        return readLibrary(session, tables.names, place, options, invalid);
      });
    });
    if (library === undefined) {
      const { schema } = this.#connection.options;
      throw new FileNotFoundError(`no pattern library was saved in the schema ${schema} yet.`, {
        path: place,
      });
    }
    rememberUse(library, this.#source);
    reportInvalid(library, this.#source, invalid, options.onInvalid);
    return library;
  }

  /**
   * Deletes rows of the table `pattern_usage`: the uses by an agent, those of a pattern, or both conditions together. The
   * counts of their patterns are lowered by them, as by `PatternPersistence.deleteUsage`.
   *
   * @param options.agent_id The agent that used the patterns.
   * @param options.pattern_id The used pattern.
   * @param options.erase True to leave no copy in the files of the table, which is rewritten; only its owner may do that.
   * @param options.onProgress Called with the number of deleted rows and their total number.
   * @returns Numbers of deleted rows and of patterns whose counts were lowered.
   * @throws ValidationError without an agent and a pattern; StorageError or BusyError if not everything could be deleted
   * or erased: what was deleted before stays deleted.
   *
   * @example
   * ```ts
   * const patterns = new PostgresPatternPersistence("postgres://localhost/agents");
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once" });
   * library.recordUsage("p1", "agent-2", true);
   * await patterns.save(library);
   * console.log(await patterns.deleteUsage({ agent_id: "agent-2" })); // { usageRows: 1, patterns: 1 }
   * await patterns.close();
   * ```
   */
  async deleteUsage(options: DeleteUsageOptions): Promise<DeletedUsage> {
    assertNoMore("deleteUsage", arguments, 1);
    const asked = checkedUsageDeletion(options);
    return this.#connection.within("deleting uses", async () => {
      const tables = await this.#tables.find();
      return tables === undefined ? { usageRows: 0, patterns: 0 } : deleteUsage(this.#connection, tables, asked);
    });
  }

  get #source(): string {
    return `${this.#connection.place}, schema ${this.#connection.options.schema}`;
  }

  /** Closes the connections; a pool that was passed stays open. A second call does nothing. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Calls {@link close} at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Returns uses to the queue, before those that were queued during the save. A loop, because spreading a long queue into
 * a call would overflow the stack.
 */
function putBack(queue: PatternUsage[], uses: readonly PatternUsage[]): void {
  const later = queue.splice(0);
  for (const usage of uses) queue.push(usage);
  for (const usage of later) queue.push(usage);
}
