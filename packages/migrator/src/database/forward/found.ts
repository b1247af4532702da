import type { LevelDecision } from "../inspect/missing_levels.ts";
import type { Layout, MetricsTable } from "../layouts/layout.ts";
import type { PatternSurvey } from "../patterns/survey_patterns.ts";
import type { AddedRows } from "./added_rows.ts";

/** A table of interactions, and how many of its rows version 16 cannot hold. */
export interface FoundTable {
  table: MetricsTable;
  blocked: number;
}

/** What was recognised in a database. */
export interface Found {
  layout: Layout;
  /** The table that is `interactions` afterwards, or null. */
  first: FoundTable | null;
  /** One whose rows join those of the first, or null. */
  second: FoundTable | null;
  /** What version 16 reads of the patterns, or null. */
  patterns: PatternSurvey | null;
  /** Where the levels come from when one of the tables has none. */
  levels: LevelDecision | null;
  /** Rows of another table that are added to the first, or null. */
  added: AddedRows | null;
}
