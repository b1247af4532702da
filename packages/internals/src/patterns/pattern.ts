import type { JsonObject } from "../json/values.ts";

/**
 * One pattern record, with the field names of the specification (section 2.1). An optional field that has no value is
 * null; `{}` and `[]` are values. Timestamps are zone-less ISO 8601 text, kept character for character.
 */
export interface Pattern {
  /** Identifier of the pattern. */
  id: string;
  /** Identifier of the agent that owns the pattern. */
  agent_id: string;
  /** Category of the pattern; any text. */
  pattern_type: string;
  /** Name for people; any text. */
  name: string;
  /** Any text. */
  description: string | null;
  /** Any JSON object; numbers that a double cannot hold are raw JSON numbers. */
  context: JsonObject | null;
  /** Source text of the pattern; kept, never run. */
  code: string | null;
  /** Finite; 0.5 unless the caller says otherwise. Recording usage does not change it. */
  confidence: number;
  /** Number of recorded uses; a whole number that a double holds exactly, 0 unless given. */
  usage_count: number;
  /** Number of uses that succeeded; a whole number that a double holds exactly, 0 unless given. */
  success_count: number;
  /** Number of uses that failed; a whole number that a double holds exactly, 0 unless given. */
  failure_count: number;
  /** Labels, in the order in which they were given. */
  tags: string[] | null;
  /** `YYYY-MM-DDTHH:MM:SS[.f{1,6}]` */
  discovered_at: string | null;
  /** `YYYY-MM-DDTHH:MM:SS[.f{1,6}]` */
  last_used: string | null;
}

/** A pattern as callers and files give it: optional fields may be absent, which means the same as null. */
export type PatternInput = Pick<Pattern, "id" | "agent_id" | "pattern_type" | "name"> & {
  [Field in keyof Pattern]?: Pattern[Field] | null | undefined;
};

/** The fourteen fields in the order of the specification; also the columns of the table `patterns`. */
export const PATTERN_FIELDS = [
  "id",
  "agent_id",
  "pattern_type",
  "name",
  "description",
  "context",
  "code",
  "confidence",
  "usage_count",
  "success_count",
  "failure_count",
  "tags",
  "discovered_at",
  "last_used",
] as const;

/** Fills in the defaults of specification section 2.1 and drops members that are not fields of a pattern. */
export function completePattern(input: PatternInput): Pattern {
  return {
    id: input.id,
    agent_id: input.agent_id,
    pattern_type: input.pattern_type,
    name: input.name,
    description: input.description ?? null,
    context: input.context ?? null,
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
