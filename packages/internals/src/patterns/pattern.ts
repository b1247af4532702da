import type { JsonObject, JsonObjectInput } from "../json/values.ts";

/**
 * One pattern record, with the field names of the specification (section 2.1). An optional field without a value is
 * null; `{}` and `[]` are values. Timestamps are ISO 8601 text without a time zone, stored verbatim.
 */
export interface Pattern {
  /** Identifier of the pattern. */
  id: string;
  /** Identifier of the agent that owns the pattern. */
  agent_id: string;
  /** Category of the pattern; any text. */
  pattern_type: string;
  /** Name for users; any text. */
  name: string;
  /** Any text. */
  description: string | null;
  /** Any JSON object; numbers that a double cannot represent are raw JSON numbers. */
  context: JsonObject | null;
  /** Source text of the pattern; stored, never run. */
  code: string | null;
  /** A finite number, 0.5 by default. Recording usage does not change it. */
  confidence: number;
  /** Number of recorded uses; an integer up to 2^53 - 1, 0 by default. */
  usage_count: number;
  /** Number of uses that succeeded; an integer up to 2^53 - 1, 0 by default. */
  success_count: number;
  /** Number of uses that failed; an integer up to 2^53 - 1, 0 by default. */
  failure_count: number;
  /** Labels, in the order in which they were given. */
  tags: string[] | null;
  /** Time of discovery, in the form `YYYY-MM-DDTHH:MM:SS[.f{1,6}]`. */
  discovered_at: string | null;
  /** Time of the last use, in the form `YYYY-MM-DDTHH:MM:SS[.f{1,6}]`. */
  last_used: string | null;
}

/** A pattern as input: optional fields may be absent, which means the same as null. */
export type PatternInput = Pick<Pattern, "id" | "agent_id" | "pattern_type" | "name"> & {
  [Field in Exclude<keyof Pattern, "context">]?: Pattern[Field] | null | undefined;
} & { context?: JsonObjectInput | null | undefined };

/** Adds the defaults of specification section 2.1 and drops members that are not fields of a pattern. */
export function completePattern(input: PatternInput): Pattern {
  return {
    id: input.id,
    agent_id: input.agent_id,
    pattern_type: input.pattern_type,
    name: input.name,
    description: input.description ?? null,
    // Checked with the other fields of the pattern.
    context: (input.context ?? null) as JsonObject | null,
    code: input.code ?? null,
    confidence: input.confidence ?? 0.5,
    usage_count: input.usage_count ?? 0,
    success_count: input.success_count ?? 0,
    failure_count: input.failure_count ?? 0,
    tags: input.tags ?? null,
    discovered_at: input.discovered_at ?? null,
    last_used: input.last_used ?? null,
  };
}
