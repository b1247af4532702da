import type { FilePath } from "@perdura/internals/files/places.js";
import { assertFields } from "@perdura/internals/config/configuration.js";
import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { loadOptional } from "@perdura/internals/errors/optional_packages.js";
import type { JsonObjectInput } from "@perdura/internals/json/values.js";
import type { BreakdownOptions, BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { Percentiles } from "@perdura/internals/metrics/breakdown/percentiles.js";
import type { DeleteBeforeOptions, Deleted, DeletionOptions } from "@perdura/internals/metrics/deletion/deletion.js";
import type { ExportOptions } from "@perdura/internals/metrics/export_progress.js";
import { assertMetricsOptions, METRICS_OPTIONS, type MetricsOptions } from "@perdura/internals/metrics/options.js";
import { assertWriterOptions, type WriterOptions } from "@perdura/internals/metrics/writer_base.js";
import type { InteractionRecord } from "@perdura/internals/line16/records.js";
import type { ListedInteraction, ListOptions } from "@perdura/internals/metrics/listing/listing.js";
import type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";
import type { StatisticsOptions } from "@perdura/internals/metrics/time_range.js";
import type {
  TrendOptions,
  TrendPeriod,
  UserTrendOptions,
  UserTrendPeriod,
} from "@perdura/internals/metrics/trends/trend.js";
import type { LibraryLoadOptions } from "@perdura/internals/patterns/invalid_patterns.js";
import type { PatternLibrary } from "@perdura/internals/patterns/library.js";
import type { SaveResult, SaveToSqliteOptions } from "@perdura/internals/patterns/save_result.js";
import type { DeletedUsage, DeleteUsageOptions } from "@perdura/internals/patterns/usage_deletion.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import { type Configuration, openPersistence, refuseTargetLevel } from "./open_persistence.ts";
import { asAsync, type RecordedBy, withWriter } from "./as_async.ts";

/** The pattern library of a program, in SQLite or PostgreSQL. */
export interface AsyncPatternStore {
  /** Saves as `PatternPersistence.saveToSqlite` does. */
  save(library: PatternLibrary, options?: SaveToSqliteOptions): Promise<SaveResult>;
  /**
   * Loads the saved library, as `PatternPersistence.loadFromSqlite` does.
   *
   * @throws FileNotFoundError if no library was saved yet.
   */
  load(options?: LibraryLoadOptions): Promise<PatternLibrary>;
  /** Deletes uses as `PatternPersistence.deleteUsage` does; none if no library was saved yet. */
  deleteUsage(options: DeleteUsageOptions): Promise<DeletedUsage>;
}

/**
 * The metrics of a program, in SQLite or PostgreSQL. Each method works like the method of `MetricsCollector` with the
 * same name.
 */
export interface AsyncMetrics<Id extends number | undefined = number> {
  /**
   * Adds one interaction at a given level, 1 to 5; the response time is in milliseconds. Resolves with the id of the
   * row when the row is durable; with `onError` also with undefined, for a dropped one.
   */
  recordInteraction(userId: string, level: number, success: boolean, responseTimeMs: number): Promise<Id>;
  /**
   * Adds one interaction at the user's current level; the response time is in milliseconds. Resolves when it is
   * durable.
   */
  recordMetric(
    userId: string,
    success: boolean,
    responseTimeMs: number,
    metadata?: JsonObjectInput | null,
  ): Promise<void>;
  /** Adds many interactions, all of them or none. Resolves with the number of interactions that were added. */
  recordMany(records: Iterable<InteractionRecord>): Promise<number>;
  /** Returns the statistics of one user (specification, section 2.6), of all time or between two moments. */
  getUserStats(userId: string, options?: StatisticsOptions): Promise<UserStats & Partial<Percentiles>>;
  /** Returns the statistics over all users (specification, section 2.7), of all time or between two moments. */
  getGlobalStats(options?: StatisticsOptions): Promise<GlobalStats & Partial<Percentiles>>;
  /** Returns the ids of all users with at least one interaction, sorted by code point. */
  getAllUsers(): Promise<string[]>;
  /**
   * Returns the interactions of one user by hour, day, week or month, with the trust at the end of each period
   * (specification, section 1).
   */
  getUserTrend(userId: string, options?: UserTrendOptions): Promise<(UserTrendPeriod & Partial<Percentiles>)[]>;
  /** Returns the interactions of all users by hour, day, week or month. */
  getGlobalTrend(options?: TrendOptions): Promise<(TrendPeriod & Partial<Percentiles>)[]>;
  /** Returns figures for each value that interactions have under a key of their metadata, most interactions first. */
  getBreakdown(key: string, options?: BreakdownOptions): Promise<BreakdownRow[]>;
  /** Lists the interactions with their metadata, newest first. */
  listInteractions(options?: ListOptions): AsyncIterableIterator<ListedInteraction<"level">>;
  /** Number of interactions that could not be stored and were reported to `onError`; see {@link WriterOptions}. */
  readonly dropped: number;
  /** Writes all interactions to a file. Resolves with the number of interactions that were written. */
  exportMetrics(filepath: FilePath, options?: ExportOptions): Promise<number>;
  /** Deletes everything of one user. Resolves with the numbers of deleted interactions and of their metadata. */
  forgetUser(userId: string, options?: DeletionOptions): Promise<Deleted>;
  /**
   * Deletes the interactions before a moment, of all users or of one. Resolves with the numbers of deleted interactions
   * and of their metadata.
   */
  deleteBefore(time: Date | string, options?: DeleteBeforeOptions): Promise<Deleted>;
}

/** The stores that {@link openPersistenceAsync} opens. */
export interface AsyncPersistence<Id extends number | undefined = number> {
  /** The configured user, if any. */
  readonly user_id: string | undefined;
  /** Saves and loads the pattern library. */
  readonly patterns: AsyncPatternStore;
  /** Records interactions and returns statistics about them. */
  readonly metrics: AsyncMetrics<Id>;
  /** Resolves when every recorded row is durable or refused, and the databases or connections are closed. */
  close(): Promise<void>;
  /** Calls {@link close} at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Settings of {@link openPersistenceAsync}. */
export interface AsyncPersistenceOptions extends MetricsOptions, WriterOptions {
  /** Options of `@perdura/postgres`, for data in PostgreSQL. */
  postgres?: {
    /** Schema of the tables; `perdura` by default. */
    schema?: string | undefined;
    /** Allows perdura to create a missing schema; true by default. */
    createSchema?: boolean | undefined;
    /** Number of partitions of the table `interactions` when it is created, 2 to 1024; not partitioned by default. */
    partitions?: number | undefined;
    /**
     * Longest wait for a connection, in milliseconds. The default comes from the address or the environment; without
     * either it is 10,000.
     */
    connectTimeoutMs?: number | undefined;
  };
}

/**
 * Opens the persistence that a configuration object describes, as {@link openPersistence} does, with methods that
 * return promises. `persistence_path` may also be the address of a PostgreSQL server; this requires the packages
 * `@perdura/postgres` and `pg`.
 *
 * @throws ValidationError that names the field or the option; MissingPackageError that names the package to install;
 * StorageError if the server cannot be reached.
 * @example
 * ```ts
 * const persistence = await openPersistenceAsync({ user_id: "alice", persistence_path: "./data" });
 * await persistence.metrics.recordMetric("alice", true, 42);
 * console.log(await persistence.metrics.getAllUsers()); // [ 'alice' ]
 * await persistence.close();
 * ```
 */
export function openPersistenceAsync(
  config?: Configuration,
  options?: AsyncPersistenceOptions & { onError?: undefined },
): Promise<AsyncPersistence>;
export function openPersistenceAsync(
  config: Configuration,
  options: AsyncPersistenceOptions,
): Promise<AsyncPersistence<number | undefined>>;
export async function openPersistenceAsync(
  config: Configuration = {},
  options: AsyncPersistenceOptions = {},
): Promise<AsyncPersistence<number | undefined>> {
  assertOptions("options", options, [...METRICS_OPTIONS, "onError", "postgres"]);
  const { postgres, onError, ...metricsOptions } = options;
  assertWriterOptions({ onError });
  const path: unknown = config?.persistence_path;
  if (config?.persistence_enabled === false || typeof path !== "string" || !isPostgresAddress(path)) {
    if (postgres === undefined) return asAsync(openPersistence(config, metricsOptions), { onError });
    throw new ValidationError(
      "these options apply to PostgreSQL only, and persistence_path is not a PostgreSQL address.",
      {
        argument: "postgres",
      },
    );
  }
  refuseTargetLevel(config);
  assertFields(config);
  assertMetricsOptions(metricsOptions);
  const { durability, busyTimeoutMs, clock, breakdown } = metricsOptions;
  if (durability === "normal") {
    throw new ValidationError("PostgreSQL has a server setting for it (synchronous_commit). Remove the option.", {
      argument: "durability",
    });
  }
  const { PostgresMetricsCollector, PostgresPatternPersistence } = await loadPostgres();
  const common = { ...postgres, busyTimeoutMs };
  const metrics = new PostgresMetricsCollector(path, { ...common, clock, breakdown });
  const patterns = new PostgresPatternPersistence(path, common);
  const close = async (): Promise<void> => {
    await Promise.all([metrics.close(), patterns.close()]);
  };
  return {
    user_id: config.user_id,
    patterns,
    metrics: withWriter(metrics, { onError }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The part of the package `@perdura/postgres` that is used here. */
interface Postgres {
  PostgresMetricsCollector: new (place: string, options: object) => RecordedBy & { close(): Promise<void> };
  PostgresPatternPersistence: new (place: string, options: object) => AsyncPatternStore & { close(): Promise<void> };
}

function loadPostgres(): Promise<Postgres> {
  // A variable hides the import from the compiler, because that package is built after this one. Bundlers leave it to
  // Node.js: users without PostgreSQL do not install the package.
  const name: string = "@perdura/postgres";
  return loadOptional(
    "PostgreSQL needs",
    [name, "pg"],
    async () => (await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ name)) as Postgres,
  );
}
