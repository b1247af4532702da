/**
 * The operations by capability group. An adapter declares a group that it implements completely, or single operations of
 * one that it does not: if it then answers `unsupported` to a declared operation, it fails. Cases that need others are
 * reported as unsupported, never as passed.
 */
export const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  patterns_json: ["save_to_json", "load_from_json"],
  patterns_sqlite: ["save_to_sqlite", "load_from_sqlite"],
  usage: ["record_usage"],
  metrics: [
    "MetricsCollector",
    "record_metric",
    "record_interaction",
    "get_user_stats",
    "get_global_stats",
    "get_all_users",
  ],
  trends: ["get_user_trend", "get_global_trend"],
  export: ["export_metrics"],
  state: ["StateManager", "save_state", "load_state", "list_users", "delete_state"],
  configuration: ["open_persistence"],
  persistence: ["save_patterns", "load_patterns"],
  modules: ["has_module", "has_member"],
  migration: ["migrate"],
};

/** Operations that belong to every group. */
const ALWAYS: readonly string[] = ["PatternLibrary"];

/**
 * Capability of an implementation that keeps databases in a server: it dumps their tables instead of returning files.
 */
export const TABLE_DUMP = "table_dump";

/** Every group that a case can need. `working_directory`: relative default paths land in the case's directory. */
export const CAPABILITIES: readonly string[] = [...Object.keys(OPERATIONS), "working_directory", TABLE_DUMP];

/** Everything that an adapter can declare: groups, and single operations of groups that are not complete yet. */
export const DECLARABLE: readonly string[] = [...CAPABILITIES, ...Object.values(OPERATIONS).flat()];

/** Groups that a language may not have; see {@link Introduction.inapplicable}. */
export const LANGUAGE_DEPENDENT: readonly string[] = ["modules"];

/** The group of an operation, `""` if it needs none, or undefined if the operation does not exist. */
export function capabilityOf(operation: string): string | undefined {
  if (ALWAYS.includes(operation)) return "";
  return Object.keys(OPERATIONS).find((group) => OPERATIONS[group]?.includes(operation));
}
