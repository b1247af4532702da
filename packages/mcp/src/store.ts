import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { METRICS_FILE, PATTERNS_FILE, preparePlace } from "@perdura/internals/config/configuration.js";
import { FileNotFoundError, isPerduraError, ValidationError } from "@perdura/internals/errors/errors.js";
import { loadOptional } from "@perdura/internals/errors/optional_packages.js";
import { CollectorBase } from "@perdura/internals/metrics/collector_base.js";
import { InteractionLog } from "@perdura/internals/metrics/interaction_log.js";
import type { AnyQuestions } from "@perdura/internals/metrics/questions.js";
import type { InvalidPattern } from "@perdura/internals/patterns/invalid_patterns.js";
import type { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { PatternPersistence } from "@perdura/internals/patterns/persistence.js";
import { isPostgresAddress } from "@perdura/internals/text/addresses.js";

/** Questions about recorded interactions, as the collectors of perdura 16 answer them. */
export type Metrics = AnyQuestions;

/** A library that was loaded. */
export interface Loaded {
  /** The patterns that can be read. */
  library: PatternLibrary;
  /** The stored patterns that cannot be read. */
  invalid: readonly InvalidPattern[];
}

/** The data that a server serves. */
export interface Store {
  /** Loads all patterns; undefined if no library was saved yet. */
  load(): Promise<Loaded | undefined>;
  /** Adds the patterns and their uses to those that are stored, and replaces the content of stored ones. */
  save(library: PatternLibrary): Promise<void>;
  /** Adds the patterns that are not stored, and the uses of all. @returns Number of added patterns. */
  add(library: PatternLibrary): Promise<number>;
  /** The recorded interactions; undefined if nothing was recorded yet. */
  metrics(): Metrics | undefined;
  /** Closes the databases or connections. */
  close(): Promise<void>;
}

/** Settings of {@link openStore}. */
export interface StoreOptions {
  /** Allows the server to create what is missing; false by default. */
  write?: boolean | undefined;
  /** Schema of the tables in PostgreSQL; `perdura` by default. */
  schema?: string | undefined;
}

/**
 * Opens the data of a directory, or those in PostgreSQL.
 *
 * @param place A directory, or an address that begins `postgres://`.
 * @throws FileNotFoundError for a missing directory without `write`; MissingPackageError without the packages for PostgreSQL.
 */
export async function openStore(place: string, { write = false, schema }: StoreOptions = {}): Promise<Store> {
  if (isPostgresAddress(place)) return postgresStore(place, write, schema);
  if (write) preparePlace({ persistence_path: place }, "");
  else if (!existsSync(place))
    throw new FileNotFoundError("the directory does not exist. --write would create it.", { path: place });
  if (!statSync(place).isDirectory())
    throw new ValidationError("expected the directory of the databases, got a file.", { path: place });
  return new DirectoryStore(place, write);
}

/** The collector of a directory. */
class Collector extends CollectorBase<"level"> {}

/** The databases of a directory, as `openPersistence` names them. */
class DirectoryStore implements Store {
  readonly #patterns: string;
  readonly #metrics: string;
  readonly #mayCreate: boolean;
  #collector: Collector | undefined;

  constructor(directory: string, mayCreate: boolean) {
    this.#patterns = join(directory, PATTERNS_FILE);
    this.#metrics = join(directory, METRICS_FILE);
    this.#mayCreate = mayCreate;
  }

  load(): Promise<Loaded | undefined> {
    return loadedWith(async (onInvalid) => PatternPersistence.loadFromSqlite(this.#patterns, { onInvalid }));
  }

  async save(library: PatternLibrary): Promise<void> {
    PatternPersistence.saveToSqlite(library, this.#patterns);
  }

  async add(library: PatternLibrary): Promise<number> {
    return PatternPersistence.saveToSqlite(library, this.#patterns, { mode: "add" }).patterns;
  }

  metrics(): Metrics | undefined {
    // A collector would create the file.
    if (this.#collector === undefined && (this.#mayCreate || existsSync(this.#metrics)))
      this.#collector = new Collector(new InteractionLog(this.#metrics, "level"));
    return this.#collector;
  }

  async close(): Promise<void> {
    this.#collector?.close();
  }
}

async function postgresStore(address: string, write: boolean, schema: string | undefined): Promise<Store> {
  const { PostgresMetricsCollector, PostgresPatternPersistence } = await loadOptional(
    "PostgreSQL needs",
    ["@perdura/postgres", "pg"],
    // The first call would load pg.
    async () => (await Promise.all([import("@perdura/postgres"), import("pg")]))[0],
  );
  const options = { schema, createSchema: write };
  const patterns = new PostgresPatternPersistence(address, options);
  const metrics = new PostgresMetricsCollector(address, options);
  return {
    load: () => loadedWith((onInvalid) => patterns.load({ onInvalid })),
    save: async (library) => void (await patterns.save(library)),
    add: async (library) => (await patterns.save(library, { mode: "add" })).patterns,
    metrics: () => metrics,
    close: async () => void (await Promise.all([patterns.close(), metrics.close()])),
  };
}

async function loadedWith(
  load: (onInvalid: (problem: InvalidPattern) => void) => Promise<PatternLibrary>,
): Promise<Loaded | undefined> {
  const invalid: InvalidPattern[] = [];
  try {
    const library = await load((problem) => invalid.push(problem));
    return { library, invalid };
  } catch (error) {
    if (isPerduraError(error, "PERDURA_FILE_NOT_FOUND")) return undefined;
    throw error;
  }
}
