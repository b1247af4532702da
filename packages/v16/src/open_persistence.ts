import { join } from "node:path";
import {
  type Configuration,
  METRICS_FILE,
  PATTERNS_FILE,
  preparePlace,
} from "@perdura/internals/config/configuration.js";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import type { PatternStore } from "@perdura/internals/patterns/pattern_store.js";
import { SqlitePatternStore } from "@perdura/internals/patterns/sqlite_store.js";
import { MetricsCollector } from "./metrics_collector.ts";
import { assertMetricsOptions, type MetricsOptions } from "@perdura/internals/metrics/options.js";

export type { Configuration } from "@perdura/internals/config/configuration.js";

/** The stores that {@link openPersistence} opens. */
export interface Persistence {
  /** The configured user, if any. */
  readonly user_id: string | undefined;
  /** Saves and loads `patterns.db`. */
  readonly patterns: PatternStore;
  /** Records into `metrics.db`. */
  readonly metrics: MetricsCollector;
  /** Writes the rows that writers of `metrics` have queued, then closes the databases. A second call does nothing. */
  close(): void;
  /** Calls {@link close} at the end of a `using` block. */
  [Symbol.dispose](): void;
}

/**
 * Opens the persistence that a configuration object describes (specification, section 4.5): `patterns.db` and
 * `metrics.db` under `persistence_path`, or the same objects in memory.
 *
 * @param options Settings of the metrics collector, which are not part of the configuration object.
 * @throws ValidationError that names the field, also for `target_level`, which only the pre-16 line has.
 * @example
 * ```ts
 * const persistence = openPersistence({ user_id: "alice", persistence_path: "./data" });
 * persistence.metrics.recordMetric("alice", true, 42);
 * console.log(persistence.metrics.getAllUsers()); // [ 'alice' ]
 * persistence.close();
 * ```
 */
export function openPersistence(config: Configuration = {}, options: MetricsOptions = {}): Persistence {
  refuseTargetLevel(config);
  assertMetricsOptions(options);
  const { directory } = preparePlace(config, "For data in PostgreSQL call openPersistenceAsync.");
  const metrics = new MetricsCollector(directory === undefined ? ":memory:" : join(directory, METRICS_FILE), options);
  const patterns = new SqlitePatternStore(directory === undefined ? undefined : join(directory, PATTERNS_FILE));
  const close = (): void => {
    metrics.close();
    patterns.close();
  };
  return { user_id: config.user_id, patterns, metrics, close, [Symbol.dispose]: close };
}

export function refuseTargetLevel(config: Configuration): void {
  if (typeof config === "object" && config !== null && "target_level" in config) {
    throw new ValidationError(
      "target_level was removed in 16.0.0 together with the collaboration state. Remove it (see UPGRADING.md).",
    );
  }
}
