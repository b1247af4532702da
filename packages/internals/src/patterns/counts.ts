import type { PatternLibrary } from "./library.ts";

/** Number of patterns of a library, in total and by group. */
export interface LibraryCounts {
  /** Number of all patterns. */
  patterns: number;
  /** Number of patterns by owner (`agent_id`). */
  by_agent: Map<string, number>;
  /** Number of patterns by `pattern_type`. */
  by_type: Map<string, number>;
  /** Number of patterns by tag; a pattern counts once for each of its tags. */
  by_tag: Map<string, number>;
  /** Number of recorded uses that were not saved to a database yet. */
  pending_usage: number;
}

/** Counts the patterns of a library in all and by group. */
export function countLibrary(library: PatternLibrary): LibraryCounts {
  const counts: LibraryCounts = {
    patterns: library.patterns.size,
    by_agent: new Map(),
    by_type: new Map(),
    by_tag: new Map(),
    pending_usage: library.pendingUsage.length,
  };
  for (const pattern of library.patterns.values()) {
    countOne(counts.by_agent, pattern.agent_id);
    countOne(counts.by_type, pattern.pattern_type);
    for (const tag of new Set(pattern.tags)) countOne(counts.by_tag, tag);
  }
  return counts;
}

function countOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
