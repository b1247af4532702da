import type { JsonObject } from "../values/json_value.ts";

/** Patterns that every implementation can hold: all fields, few fields, other alphabets, whole numbers as reals. */
export const PATTERNS: JsonObject[] = [
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
export const ADDED: JsonObject = pattern("p4", { agent_id: "agent-3" });

/** What is recorded. */
export const INTERACTIONS: [user: string, level: number, success: boolean, ms: number][] = [
  ["alice", 1, true, 100],
  ["alice", 3, false, 200.5],
  ["alice", 3, true, 0],
  ["böb 'x'", 5, true, 12.25],
];
/** The statistics of alice over these. */
export const ALICE: JsonObject = { total: 3, rate: 2 / 3, mean: 300.5 / 3, levels: [1, 0, 2, 0, 0] };

/** A state of alice. */
export const STATE: JsonObject = {
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
