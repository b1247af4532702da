/**
 * The operations by capability group. A group is all or nothing: an adapter that declares it and answers `unsupported`
 * to one of its operations fails. Cases of undeclared groups are reported as unsupported, never as passed.
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

/** Every capability that an adapter can declare. `working_directory`: relative default paths land in the case's directory. */
export const CAPABILITIES: readonly string[] = [...Object.keys(OPERATIONS), "working_directory", TABLE_DUMP];

/** The group of an operation, `""` if it needs none, or undefined if the operation does not exist. */
export function capabilityOf(operation: string): string | undefined {
  if (ALWAYS.includes(operation)) return "";
  return Object.keys(OPERATIONS).find((group) => OPERATIONS[group]?.includes(operation));
}
