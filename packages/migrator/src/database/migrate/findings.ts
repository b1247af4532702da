import type { LevelDecision } from "../levels/missing_levels.ts";
import type { Layout } from "../layouts/layout.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import type { PatternSurvey } from "../patterns/survey_patterns.ts";

/** A table of interactions, with the number of its rows that version 16 cannot hold. */
export interface FoundTable {
  table: MetricsTable;
  blocked: number;
}

/** Findings about a database. */
export interface Found {
  layout: Layout;
  /** The table that becomes `interactions`, or null. */
  first: FoundTable | null;
  /** A table whose rows are merged into the first, or null. */
  second: FoundTable | null;
  /** Survey of the patterns, or null. */
  patterns: PatternSurvey | null;
  /** Source of the levels if one of the tables has none. */
  levels: LevelDecision | null;
}
