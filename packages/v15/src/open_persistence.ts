import { join } from "node:path";
import {
  type Configuration as SharedConfiguration,
  CONFIGURATION_FIELDS,
  METRICS_FILE,
  PATTERNS_FILE,
  preparePlace,
} from "@perdura/internals/config/configuration.js";
import { assertLevel } from "@perdura/internals/metrics/arguments.js";
import type { PatternStore } from "@perdura/internals/patterns/pattern_store.js";
import { SqlitePatternStore } from "@perdura/internals/patterns/sqlite_store.js";
import { MetricsCollector } from "./metrics_collector.ts";
import { assertMetricsOptions, type MetricsOptions } from "@perdura/internals/metrics/options.js";
import { StateMemory } from "./state_files.ts";
import { StateManager } from "./state_manager.ts";

/** The persistence fields of a configuration object (specification, section 4.5). */
export interface Configuration extends SharedConfiguration {
  /** The level that the user wants to reach, 1 to 5; returned unchanged. */
  target_level?: number | undefined;
}

const FIELDS = [...CONFIGURATION_FIELDS, "target_level"];

/** The stores that {@link openPersistence} opens. */
export interface Persistence {
  /** The configured user, if any. */
  readonly user_id: string | undefined;
  /** The configured target level, if any. */
  readonly target_level: number | undefined;
  /** Saves and loads `patterns.db`. */
  readonly patterns: PatternStore;
  /** Records into `metrics.db`. */
  readonly metrics: MetricsCollector;
  /** Keeps states under `state/`. */
  readonly states: StateManager;
  /** Writes the rows that writers of `metrics` have queued, then closes the databases. A second call does nothing. */
  close(): void;
  /** Calls {@link close} at the end of a `using` block. */
  [Symbol.dispose](): void;
}

/**
 * Opens the persistence that a configuration object describes (specification, section 4.5): `patterns.db`, `metrics.db`
 * and `state/` under `persistence_path`, or the same objects in memory.
 *
 * @param options Settings of the metrics collector, which are not part of the configuration object.
 * @throws ValidationError that names the field.
 * @example
 * ```ts
 * const persistence = openPersistence({ user_id: "alice", persistence_enabled: false });
 * persistence.metrics.recordMetric("alice", 2, true, 42);
 * console.log(persistence.metrics.getAllUsers()); // [ 'alice' ]
 * persistence.close();
 * ```
 */
export function openPersistence(config: Configuration = {}, options: MetricsOptions = {}): Persistence {
  const targetLevel = config?.target_level;
  if (targetLevel !== undefined) assertLevel("target_level", targetLevel);
  assertMetricsOptions(options);
  const { directory } = preparePlace(config, "PostgreSQL needs version 16; see UPGRADING.md.", FIELDS);
  const metrics = new MetricsCollector(directory === undefined ? ":memory:" : join(directory, METRICS_FILE), options);
  const patterns = new SqlitePatternStore(directory === undefined ? undefined : join(directory, PATTERNS_FILE));
  const states =
    directory === undefined ? new StateManager(new StateMemory()) : new StateManager(join(directory, "state"));
  const close = (): void => {
    metrics.close();
    patterns.close();
  };
  return {
    user_id: config.user_id,
    target_level: targetLevel,
    patterns,
    metrics,
    states,
    close,
    [Symbol.dispose]: close,
  };
}
