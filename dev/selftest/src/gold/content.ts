import pattern from "../../../../packages/conformance/data/pattern.json" with { type: "json" };
import minimalPattern from "../../../../packages/conformance/data/minimal_pattern.json" with { type: "json" };
import state from "../../../../packages/conformance/data/state.json" with { type: "json" };
import { numberFromText } from "../../../../packages/conformance/src/values/numbers.ts";
import type { JsonObject } from "../../../../packages/conformance/src/values/json_value.ts";

const complete = {
  description: null,
  context: null,
  code: null,
  confidence: 0.5,
  usage_count: 0,
  success_count: 0,
  failure_count: 0,
  tags: null,
  discovered_at: null,
  last_used: null,
};
const text: JsonObject = {
  id: "t1",
  agent_id: "agent-2",
  pattern_type: "adaptive",
  name: "Grüße, 日本語, 👩‍💻",
  description: 'a "quoted" word,\ta tab,\ntwo lines and a \\ backslash',
  context: { é: "e\u0301", "😀": [true, null, 1.5, { deep: [] }], "a.b": {} },
  code: "if a < b: return '/'\n",
  confidence: 1,
  tags: ["naïve", "  blanks  ", ""],
};
const exact: JsonObject = {
  ...pattern,
  discovered_at: "2025-03-01T08:30:00.123456",
  last_used: "2025-04-02T17:05:59.000001",
  context: {
    big: numberFromText("12345678901234567890"),
    huge: numberFromText("1e400"),
    tiny: numberFromText("-0.1000000000000000055511151231257827021181583404541015625e-5"),
  },
};

/** The patterns of each library that a program writes, in order; each is contributed by its `agent_id`. */
export const LIBRARIES: Readonly<Record<string, readonly JsonObject[]>> = {
  library: [pattern, text, minimalPattern],
  exact: [exact],
};

/** The library that a reader must load: every field, with its default. */
export function completeLibrary(patterns: readonly JsonObject[]): JsonObject {
  const agents = [...new Set(patterns.map((one) => one.agent_id as string))];
  const contributions = agents.map((agent) => [
    agent,
    patterns.filter((one) => one.agent_id === agent).map((one) => one.id as string),
  ]);
  return {
    patterns: patterns.map((one) => ({ ...complete, ...one })),
    agent_contributions: Object.fromEntries(contributions) as JsonObject,
  };
}

/** States by the name of their file. */
export const STATES: Readonly<Record<string, JsonObject>> = {
  "alice.json": state,
  "bob.json": { ...state, user_id: "bob", trust_level: 1, current_level: 5, interaction_count: 0 },
  "team%2fcarla.json": {
    ...state,
    user_id: "team/carla",
    shared_context: { language: "français", turns: ["ça", "👍"] },
  },
};
