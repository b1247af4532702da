import { editsLibrary, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Libraries that are counted or dated by something else than their patterns. */
export const COUNTING_MUTANTS: readonly Mutant[] = [
  row(
    "counts contributions for patterns",
    "R-2.4/pattern-count",
    16,
    "patterns-json/pattern-count-contributions",
    editsLibrary((library) => {
      const { agent_contributions: byAgent } = library as unknown as { agent_contributions: Record<string, string[]> };
      library.metadata.pattern_count = Object.values(byAgent).flat().length;
    }),
  ),
  row(
    "writes the time of a use with a zone",
    "R-2.1/timestamp.json",
    15,
    "patterns-json/usage-timestamp",
    editsLibrary(({ patterns }) => {
      for (const pattern of patterns) pattern.last_used = new Date().toISOString();
    }),
  ),
];
