import type { JsonObject } from "../values/json_value.ts";

/** Facts that the arguments of a call depend on. */
export interface SmokeContext {
  /** The absolute path of a name in the directory of the case. */
  at: (name: string) => string;
  /** Line of the implementation: its first versions have other arguments and files. */
  line: "15" | "16";
  /** True if databases are in a server, which cannot read a file of the suite. */
  inServer: boolean;
}

/** One call of an operation, with trivial valid arguments. */
export interface SmokeCall {
  op: string;
  args: (context: SmokeContext) => JsonObject;
  /** Name of the kept object that is called; a call before this one keeps it. */
  handle?: string;
  /** Name under which the object is kept. */
  keep?: string;
  /** File of the suite that the call reads, and its name in the directory of the case. */
  reads?: { name: string; file: (line: SmokeContext["line"]) => string };
  /** The value of a correct answer, in words. */
  value: string;
}

const PATTERN: JsonObject = {
  id: "p1",
  agent_id: "agent-1",
  pattern_type: "sequential",
  name: "A pattern",
  description: "A pattern of the smoke test",
  context: { language: "any" },
  code: "x = 1",
  confidence: 0.75,
  usage_count: 0,
  success_count: 0,
  failure_count: 0,
  tags: ["a"],
  discovered_at: "2025-01-15T09:30:00",
  last_used: null,
};

const INTERACTION: JsonObject = { user_id: "alice", success: true, response_time_ms: 10 };
const STATE: JsonObject = {
  user_id: "alice",
  trust_level: 0.5,
  current_level: 1,
  target_level: 2,
  interaction_count: 1,
  success_count: 1,
  failure_count: 0,
  last_interaction: "2025-01-15T09:30:00",
  created_at: "2025-01-15T09:30:00",
};

const NOTHING = "null, or what the implementation returns";
const LIBRARY = 'the library: {"patterns": […], "agent_contributions": {…}}';
const none = (): JsonObject => ({});

/**
 * A call of each operation, in an order in which each finds the objects and data that it needs. Files to load come from
 * the suite, so that an adapter that cannot save yet can be tried, too.
 */
export const SMOKE_CALLS: readonly SmokeCall[] = [
  {
    op: "PatternLibrary",
    args: () => ({ patterns: [PATTERN] }),
    keep: "library",
    value: "null; the library is kept under its name",
  },
  {
    op: "record_usage",
    args: () => ({ pattern_id: "p1", agent_id: "agent-1", success: true }),
    handle: "library",
    value: "null",
  },
  { op: "save_to_json", args: ({ at }) => ({ filepath: at("saved.json") }), handle: "library", value: NOTHING },
  {
    op: "load_from_json",
    args: ({ at }) => ({ filepath: at("library.json") }),
    reads: { name: "library.json", file: (line) => `perdura-${line}/library.json` },
    value: LIBRARY,
  },
  { op: "save_to_sqlite", args: ({ at }) => ({ db_path: at("saved.db") }), handle: "library", value: NOTHING },
  {
    op: "load_from_sqlite",
    args: ({ at, inServer }) => ({ db_path: at(inServer ? "saved.db" : "library.db") }),
    reads: { name: "library.db", file: (line) => `perdura-${line}/library.db` },
    value: LIBRARY,
  },
  {
    op: "MetricsCollector",
    args: ({ at }) => ({ db_path: at("metrics.db") }),
    keep: "metrics",
    value: "null; the collector is kept under its name",
  },
  {
    op: "record_metric",
    args: ({ line }) => (line === "15" ? { ...INTERACTION, empathy_level: 3 } : INTERACTION),
    handle: "metrics",
    value: "null",
  },
  { op: "record_interaction", args: () => ({ ...INTERACTION, level: 3 }), handle: "metrics", value: NOTHING },
  {
    op: "get_user_stats",
    args: () => ({ user_id: "alice" }),
    handle: "metrics",
    value: "the dictionary of section 2.6",
  },
  { op: "get_global_stats", args: none, handle: "metrics", value: "the dictionary of section 2.7" },
  { op: "get_all_users", args: none, handle: "metrics", value: "an array of strings" },
  { op: "get_user_trend", args: () => ({ user_id: "alice" }), handle: "metrics", value: "an array of rows" },
  { op: "get_global_trend", args: none, handle: "metrics", value: "an array of rows" },
  { op: "export_metrics", args: ({ at }) => ({ filepath: at("metrics.json") }), handle: "metrics", value: NOTHING },
  {
    op: "StateManager",
    args: ({ at }) => ({ state_dir: at("states") }),
    keep: "states",
    value: "null; the manager is kept under its name",
  },
  { op: "save_state", args: () => ({ user_id: "alice", state: STATE }), handle: "states", value: NOTHING },
  { op: "load_state", args: () => ({ user_id: "alice" }), handle: "states", value: "the state, or null" },
  { op: "list_users", args: none, handle: "states", value: "an array of strings" },
  { op: "delete_state", args: () => ({ user_id: "alice" }), handle: "states", value: "true or false" },
  {
    op: "open_persistence",
    args: ({ at }) => ({ config: { persistence_enabled: true, persistence_path: at("data") } }),
    keep: "persistence",
    value: "null; the opened object is kept under its name",
  },
  { op: "save_patterns", args: () => ({ library: "library" }), handle: "persistence", value: "null" },
  { op: "load_patterns", args: none, handle: "persistence", value: LIBRARY },
  { op: "has_module", args: () => ({ name: "persistence" }), value: "true or false" },
  { op: "has_member", args: () => ({ module: "persistence", name: "StateManager" }), value: "true or false" },
  {
    op: "migrate",
    args: ({ at }) => ({ path: at("old.db") }),
    reads: { name: "old.db", file: () => "perdura-15/metrics.db" },
    value: "null",
  },
];
