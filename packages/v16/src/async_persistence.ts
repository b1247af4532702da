import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { MissingPackageError, ValidationError } from "@perdura/internals/errors/errors.js";
import type { JsonObject } from "@perdura/internals/json/values.js";
import type { ExportOptions } from "@perdura/internals/metrics/export_progress.js";
import { assertMetricsOptions, METRICS_OPTIONS, type MetricsOptions } from "@perdura/internals/metrics/options.js";
import type { InteractionRecord } from "@perdura/internals/line16/records.js";
import type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";
import type { LibraryLoadOptions } from "@perdura/internals/patterns/invalid_patterns.js";
import type { PatternLibrary } from "@perdura/internals/patterns/library.js";
import type { SaveResult, SaveToSqliteOptions } from "@perdura/internals/patterns/save_result.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import { type Configuration, openPersistence, refuseTargetLevel } from "./open_persistence.ts";
import { asyncForm } from "./async_form.ts";

/** A program's pattern library, wherever it lies. */
export interface AsyncPatternStore {
  /** Saves as `PatternPersistence.saveToSqlite` does. */
  save(library: PatternLibrary, options?: SaveToSqliteOptions): Promise<SaveResult>;
  /**
   * Loads what was saved, as `PatternPersistence.loadFromSqlite` does.
   *
   * @throws FileNotFoundError when nothing was saved yet.
   */
  load(options?: LibraryLoadOptions): Promise<PatternLibrary>;
}

/** A program's metrics, wherever they lie; each method does as that of `MetricsCollector` with its name. */
export interface AsyncMetrics {
  /**
   * Adds one interaction at a given level, 1 to 5; the response time is in milliseconds. Resolves with the id of the row
   * once the row is durable.
   */
  recordInteraction(userId: string, level: number, success: boolean, responseTimeMs: number): Promise<number>;
  /** Adds one interaction at the user's current level; the response time is in milliseconds. Resolves once it is durable. */
  recordMetric(userId: string, success: boolean, responseTimeMs: number, metadata?: JsonObject | null): Promise<void>;
  /** Adds many interactions, all of them or none. Resolves with how many were added. */
  recordMany(records: Iterable<InteractionRecord>): Promise<number>;
  /** The statistics of one user (specification, section 2.6). */
  getUserStats(userId: string): Promise<UserStats>;
  /** The statistics over all users (specification, section 2.7). */
  getGlobalStats(): Promise<GlobalStats>;
  /** The ids of all users with at least one interaction. */
  getAllUsers(): Promise<string[]>;
  /** Writes all interactions into a file. Resolves with how many were written. */
  exportMetrics(filepath: string, options?: ExportOptions): Promise<number>;
}

/** The stores that {@link openPersistenceAsync} opens. */
export interface AsyncPersistence {
  /** The configured user, if any. */
  readonly user_id: string | undefined;
  /** Saves and loads the pattern library. */
  readonly patterns: AsyncPatternStore;
  /** Records interactions and answers questions about them. */
  readonly metrics: AsyncMetrics;
  /** Resolves once what was recorded is durable or refused, and the databases or connections are closed. */
  close(): Promise<void>;
  /** Does as {@link close} at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Settings of {@link openPersistenceAsync}. */
export interface AsyncPersistenceOptions extends MetricsOptions {
  /** Options of `@perdura/postgres`, for data in PostgreSQL. */
  postgres?: {
    /** Schema of the tables; `perdura` by default. */
    schema?: string | undefined;
    /** Permits to create a missing schema; true by default. */
    createSchema?: boolean | undefined;
    /** Number of partitions of the table `interactions` when it is created, 2 to 1024; not partitioned by default. */
    partitions?: number | undefined;
    /** Longest wait for a connection, in milliseconds; by default what the address or the environment says, or 10,000. */
    connectTimeoutMs?: number | undefined;
  };
}

/**
 * Opens the persistence that a configuration object describes, as {@link openPersistence} does, with methods that return
 * promises. So `persistence_path` may also be an address of PostgreSQL, for which `@perdura/postgres` and `pg` must be
 * installed.
 *
 * @throws ValidationError naming the field or the option; MissingPackageError, which says what to install; StorageError
 * where the server cannot be reached.
 * @example
 * ```ts
 * const persistence = await openPersistenceAsync({ user_id: "alice", persistence_path: "./data" });
 * await persistence.metrics.recordMetric("alice", true, 42);
 * console.log(await persistence.metrics.getAllUsers()); // [ 'alice' ]
 * await persistence.close();
 * ```
 */
export async function openPersistenceAsync(
  config: Configuration = {},
  options: AsyncPersistenceOptions = {},
): Promise<AsyncPersistence> {
  assertOptions("options", options, [...METRICS_OPTIONS, "postgres"]);
  const { postgres, ...metricsOptions } = options;
  const path: unknown = config?.persistence_path;
  if (config?.persistence_enabled === false || typeof path !== "string" || !isPostgresAddress(path)) {
    if (postgres === undefined) return asyncForm(openPersistence(config, metricsOptions));
    throw new ValidationError(
      "these options apply to PostgreSQL only, and persistence_path is not a PostgreSQL address.",
      {
        argument: "postgres",
      },
    );
  }
  refuseTargetLevel(config);
  assertMetricsOptions(metricsOptions);
  const { durability, busyTimeoutMs, clock } = metricsOptions;
  if (durability === "normal") {
    throw new ValidationError("PostgreSQL has a server setting for it (synchronous_commit). Remove the option.", {
      argument: "durability",
    });
  }
  const { PostgresMetricsCollector, PostgresPatternPersistence } = await loadPostgres();
  const common = { ...postgres, busyTimeoutMs };
  const metrics = new PostgresMetricsCollector(path, { ...common, clock });
  const patterns = new PostgresPatternPersistence(path, common);
  const close = async (): Promise<void> => {
    await Promise.all([metrics.close(), patterns.close()]);
  };
  return { user_id: config.user_id, patterns, metrics, close, [Symbol.asyncDispose]: close };
}

/** The used part of the package `@perdura/postgres`. */
interface Postgres {
  PostgresMetricsCollector: new (place: string, options: object) => AsyncMetrics & { close(): Promise<void> };
  PostgresPatternPersistence: new (place: string, options: object) => AsyncPatternStore & { close(): Promise<void> };
}

async function loadPostgres(): Promise<Postgres> {
  // Not known to the compiler: the package builds on this one.
  const name: string = "@perdura/postgres";
  try {
    return (await import(name)) as Postgres;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new MissingPackageError(
      "PostgreSQL needs the packages @perdura/postgres and pg: npm install @perdura/postgres pg",
      { cause },
    );
  }
}
