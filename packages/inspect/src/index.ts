/**
 * Summaries of what agents stored.
 *
 * @module
 */
export type {
  BreakdownSummary,
  ComparedFact,
  ComparedItems,
  Comparison,
  DatabaseSummary,
  LibrarySummary,
  Line,
  MetricsSummary,
  PatternsSummary,
  PatternSummary,
  PeriodFigures,
  RecentSummary,
  RecentValue,
  ShownRange,
  StatesSummary,
  StateSummary,
  Summary,
  UserSummary,
} from "@perdura/summary/document.js";
export { type SummarizeOptions, summarizeData } from "./read/summarize_data.ts";
export { summaryPage } from "@perdura/summary/page/summary_page.js";
export { VERSION } from "./version.ts";
