import { match } from "../matching/match.ts";
import type { Mismatch } from "../matching/match.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";

/** Patterns that every implementation can store: all fields, few fields, other alphabets, whole numbers as reals. */
const PATTERNS: JsonObject[] = [
  pattern("p1", {
    description: "All fields",
    context: { depth: { list: [1, 2.5, "x", null, true] } },
    code: "a = 1\nb = 2\n",
  }),
  pattern("p2", { agent_id: "agent-2", confidence: 1, tags: [], context: {} }),
  pattern("p3", { name: "Ünïcode 模式 🧩 ‏עברית", description: "quotes \" ' ` \\ and\ttabs", tags: ["é", "e\u0301"] }),
];

function pattern(id: string, fields: JsonObject): JsonObject {
  return {
    id,
    agent_id: "agent-1",
    pattern_type: "sequential",
    name: `Pattern ${id}`,
    description: "A pattern",
    context: { language: "any" },
    code: "x",
    confidence: 0.75,
    usage_count: 4,
    success_count: 3,
    failure_count: 1,
    tags: ["b", "a"],
    discovered_at: "2025-01-15T09:30:00",
    last_used: "2025-06-01T00:00:00",
    ...fields,
  };
}

/** A pattern that the consumer adds to the producer's database. */
const ADDED: JsonObject = pattern("p4", { agent_id: "agent-3" });

/** Interactions that the producer records. */
const INTERACTIONS: [user: string, level: number, success: boolean, ms: number][] = [
  ["alice", 1, true, 100],
  ["alice", 3, false, 200.5],
  ["alice", 3, true, 0],
  ["böb 'x'", 5, true, 12.25],
];
/** The statistics of alice for these interactions. */
const ALICE: JsonObject = { total: 3, rate: 2 / 3, mean: 300.5 / 3, levels: [1, 0, 2, 0, 0] };

/** A state of alice. */
const STATE: JsonObject = {
  user_id: "alice",
  trust_level: 0.75,
  current_level: 3,
  target_level: 4,
  interaction_count: 20,
  success_count: 17,
  failure_count: 3,
  last_interaction: "2025-05-01T12:00:00",
  created_at: "2025-01-15T09:30:00",
};

/** A call with its expected answer; `wanted` may contain matchers. */
export interface MatrixCall {
  op: string;
  args: (directory: string) => JsonObject;
  handle?: string;
  keep?: string;
  wanted?: JsonValue;
  /** The only member of the answer that is compared. */
  member?: string;
}

/** Data that one implementation writes and another one reads. */
export interface Artifact {
  name: "library.json" | "library.db" | "metrics.db" | "states";
  title: string;
  /** Capability groups that both sides need. */
  capability: string;
  /** Calls of the producer. `before16` is true for a producer of the pre-16 line. */
  write: (before16: boolean) => MatrixCall[];
  /**
   * Calls of the consumer, in a copy of the producer's directory. `before16` is true for a consumer of the pre-16 line.
   */
  read: (before16: boolean) => MatrixCall[];
}

const at =
  (name: string, key: string, more: JsonObject = {}) =>
  (directory: string): JsonObject => ({ [key]: `${directory}/${name}`, ...more });
const plain = (args: JsonObject) => (): JsonObject => args;

const patternsAre = (patterns: JsonObject[]): Pick<MatrixCall, "member" | "wanted"> => ({
  member: "patterns",
  wanted: { $set: patterns },
});

function record(
  before16: boolean,
  [user_id, level, success, response_time_ms]: (typeof INTERACTIONS)[number],
): MatrixCall {
  return before16
    ? { op: "record_metric", handle: "m", args: plain({ user_id, empathy_level: level, success, response_time_ms }) }
    : { op: "record_interaction", handle: "m", args: plain({ user_id, level, success, response_time_ms }) };
}

function statistics(user_id: string, wanted: JsonObject): MatrixCall {
  const counts = (wanted.levels as number[]).map((count, index) => [
    `level_${index + 1}_count`,
    count === 0 ? { $absentOr: 0 } : count,
  ]);
  return {
    op: "get_user_stats",
    handle: "m",
    args: plain({ user_id }),
    wanted: {
      total_operations: wanted.total as number,
      success_rate: { $near: [wanted.rate as number, 1e-9] },
      avg_response_time_ms: { $near: [wanted.mean as number, 1e-6] },
      ...Object.fromEntries(counts),
    },
  };
}

/** All artifacts that implementations exchange. */
export const ARTIFACTS: readonly Artifact[] = [
  {
    name: "library.json",
    title: "pattern library (JSON)",
    capability: "patterns_json",
    write: () => [
      { op: "PatternLibrary", keep: "l", args: plain({ patterns: PATTERNS }) },
      { op: "save_to_json", handle: "l", args: at("library.json", "filepath") },
    ],
    read: () => [{ op: "load_from_json", args: at("library.json", "filepath"), ...patternsAre(PATTERNS) }],
  },
  {
    name: "library.db",
    title: "pattern library (SQLite)",
    capability: "patterns_sqlite",
    write: () => [
      { op: "PatternLibrary", keep: "l", args: plain({ patterns: PATTERNS }) },
      { op: "save_to_sqlite", handle: "l", args: at("library.db", "db_path") },
    ],
    read: () => [
      { op: "load_from_sqlite", args: at("library.db", "db_path"), ...patternsAre(PATTERNS) },
      // Saving all patterns is correct whether an implementation merges or replaces.
      { op: "PatternLibrary", keep: "l", args: plain({ patterns: [...PATTERNS, ADDED] }) },
      { op: "save_to_sqlite", handle: "l", args: at("library.db", "db_path") },
      { op: "load_from_sqlite", args: at("library.db", "db_path"), ...patternsAre([...PATTERNS, ADDED]) },
    ],
  },
  {
    name: "metrics.db",
    title: "metrics database",
    capability: "metrics",
    write: (before16) => [
      { op: "MetricsCollector", keep: "m", args: at("metrics.db", "db_path") },
      ...INTERACTIONS.map((row) => record(before16, row)),
    ],
    read: (before16) => [
      { op: "MetricsCollector", keep: "m", args: at("metrics.db", "db_path") },
      statistics("alice", ALICE),
      {
        op: "get_global_stats",
        handle: "m",
        args: plain({}),
        wanted: { total_users: 2, total_interactions: 4, success_rate: { $near: [0.75, 1e-9] } },
      },
      { op: "get_all_users", handle: "m", args: plain({}), wanted: { $set: ["alice", "böb 'x'"] } },
      record(before16, ["alice", 3, true, 99.5]),
      statistics("alice", { total: 4, rate: 0.75, mean: 100, levels: [1, 0, 3, 0, 0] }),
    ],
  },
  {
    name: "states",
    title: "collaboration states",
    capability: "state",
    write: () => [
      { op: "StateManager", keep: "s", args: at("states", "state_dir") },
      { op: "save_state", handle: "s", args: plain({ user_id: "alice", state: STATE }) },
    ],
    read: () => [
      { op: "StateManager", keep: "s", args: at("states", "state_dir") },
      { op: "list_users", handle: "s", args: plain({}), wanted: ["alice"] },
      { op: "load_state", handle: "s", args: plain({ user_id: "alice" }), wanted: STATE },
    ],
  },
];

/** Differences from the expected answer of a call; unexpected members of statistics are not compared. */
export function differences(call: MatrixCall, value: JsonValue | undefined): Mismatch[] {
  if (call.wanted === undefined) return [];
  const got = call.member === undefined ? value : (value as JsonObject | undefined)?.[call.member];
  if (!call.op.endsWith("_stats") || typeof got !== "object" || got === null || Array.isArray(got))
    return match(call.wanted, got, 0);
  const asked = Object.keys(call.wanted as JsonObject);
  return match(call.wanted, Object.fromEntries(Object.entries(got).filter(([key]) => asked.includes(key))), 0);
}
