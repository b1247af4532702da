import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import type { PatternsSummary, PatternSummary } from "./document.ts";

/** Summarises the patterns of a library. */
export function summarizePatterns(patterns: Iterable<Pattern>, rows: number, invalid: number): PatternsSummary {
  const all = [...patterns];
  const sum = (counter: "usage_count" | "success_count" | "failure_count"): number =>
    all.reduce((total, pattern) => total + pattern[counter], 0);
  const byConfidence = Array.from({ length: BINS }, () => 0);
  for (const { confidence } of all) {
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor(confidence * BINS)));
    byConfidence[bin] = (byConfidence[bin] ?? 0) + 1;
  }
  return {
    patterns: all.length,
    invalid,
    by_type: frequencies(all.map(({ pattern_type }) => pattern_type)),
    by_agent: frequencies(all.map(({ agent_id }) => agent_id)),
    by_confidence: byConfidence,
    usage_count: sum("usage_count"),
    success_count: sum("success_count"),
    failure_count: sum("failure_count"),
    top_patterns: all
      .toSorted((one, other) => other.usage_count - one.usage_count)
      .slice(0, rows)
      .map(shown),
  };
}

const BINS = 10;

function shown(pattern: Pattern): PatternSummary {
  const { id, agent_id, pattern_type, name, confidence, usage_count, success_count, failure_count } = pattern;
  return {
    id,
    agent_id,
    pattern_type,
    name,
    confidence,
    usage_count,
    success_count,
    failure_count,
    tags: [...(pattern.tags ?? [])],
    last_used: pattern.last_used,
  };
}

/** Numbers of equal names, the most frequent first, equally frequent ones in the order of their names. */
function frequencies(names: readonly string[]): { name: string; patterns: number }[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, patterns]) => ({ name, patterns }))
    .toSorted((one, other) => other.patterns - one.patterns || (one.name < other.name ? -1 : 1));
}
