import type { JsonValue } from "@perdura/internals/json/values.js";
import type { BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { Percentiles } from "@perdura/internals/metrics/breakdown/percentiles.js";
import type { ListedInteraction } from "@perdura/internals/metrics/listing/listing.js";
import type { Bucket, TrendPeriod } from "@perdura/internals/metrics/trends/trend.js";

/** Everything that was found below the targets, as `perdura-inspect PATH --json` prints it. */
export interface Summary {
  /** Format of this document. */
  format: "perdura-summary-1";
  /** The moment of the summary, ISO 8601 in UTC. */
  made_at: string;
  /** Name and version of the program that made it. */
  program: string;
  /** The given paths or addresses, without passwords. */
  targets: string[];
  /** The moments between which interactions are counted; null for all. Patterns and states have no range. */
  range: ShownRange | null;
  databases: DatabaseSummary[];
  /** Pattern libraries in JSON. */
  libraries: LibrarySummary[];
  /** State directories of the pre-16 line. */
  state_directories: StatesSummary[];
  /** Archives of state directories, which migrations made. */
  archives: StatesSummary[];
  /** Number of patterns with different ids in all databases and libraries, which are often copies of each other. */
  different_patterns: number;
  /** Backups that migrations made. */
  backups: { path: string; bytes: number; of: string }[];
  /** Paths that are not data of perdura, with the reasons. */
  left_alone: { path: string; reason: string }[];
  /** Paths that may be data but cannot be read, with the reasons. */
  unreadable: { path: string; reason: string }[];
}

/** Limits of the counted interactions, `YYYY-MM-DDTHH:MM:SS.fff` in UTC; null for no limit. */
export interface ShownRange {
  /** The first moment that is included. */
  since: string | null;
  /** The first moment that is not included any more. */
  until: string | null;
}

/** The line that reads a database; null if none does before a migration. */
export type Line = "pre-16" | "16+";

/** An SQLite database, or a schema of a PostgreSQL database. */
export interface DatabaseSummary {
  /** Path, or address without its password. */
  path: string;
  /** Size in bytes; null for a server. */
  bytes: number | null;
  line: Line | null;
  /** The layout of the metrics and of the patterns, in words. */
  layout: string;
  metrics: MetricsSummary | null;
  patterns: PatternsSummary | null;
  /** Number of metadata without an interaction, which another program left. */
  orphaned_metadata: number;
  /** Rows that a migration moved to its table `perdura_quarantine`, by table and reason. */
  quarantined: { table: string; reason: string; rows: number }[];
}

export interface MetricsSummary {
  users: number;
  operations: number;
  /** 0 to 1; 0 without operations. */
  success_rate: number;
  /** Milliseconds; 0 without response times. */
  avg_response_time_ms: number;
  /** Percentiles of the response times; null for more than 100,000 operations if no sums by a declared key tell them. */
  percentiles: Percentiles | null;
  /** Oldest and newest timestamp as text, UTC; null without one. */
  first_use: string | null;
  last_use: string | null;
  /** Number of operations at the levels 1 to 5; null if the layout has no levels. */
  levels: [number, number, number, number, number] | null;
  /** Number of operations with another level, or without a level. */
  other_levels: number;
  /** Number of operations without a readable time, which no trend includes. */
  without_time: number;
  /** `p95` of a period is missing where `percentiles` is null. */
  trend: { bucket: Bucket; periods: (TrendPeriod & { p95?: number | null })[] };
  /** The newest days against as many days before; null if one of both has no operations. */
  recent: RecentSummary | null;
  /** Figures by the values of keys of the metadata: of the declared keys, or else of those that suit best. */
  breakdowns: BreakdownSummary[];
  /** Users with the most operations, at most as many as the summary was asked for. */
  top_users: UserSummary[];
}

/** The interactions of one user. */
export interface UserReport {
  /** The moments between which interactions are counted; null for all. */
  range: ShownRange | null;
  /** As if no other user were stored. */
  metrics: MetricsSummary;
  /** The newest ones first, at most as many as the report was asked for. */
  interactions: ListedInteraction<"level">[];
}

/** Figures by the values of one key of the metadata. */
export interface BreakdownSummary {
  key: string;
  /**
   * Most operations first, as many values as the summary was asked for (10 to 100) and a row for all others; null if they were not counted, because the key is
   * not declared and the database has more than 100,000 operations.
   */
  values: BreakdownRow[] | null;
  /** The same values in the two periods of `recent`; null without these, or if they were not counted. */
  recent: RecentValue[] | null;
}

/** Two periods of equal length that follow each other. The newer one ends with the day of the newest operation. */
export interface RecentSummary {
  /** Number of days of each period: 7, or 1 if all operations are within a week. */
  days: 1 | 7;
  /** First day of the period before, first day of the newer one, and the day after both: `YYYY-MM-DD` in UTC. */
  before_since: string;
  since: string;
  until: string;
  before: PeriodFigures;
  now: PeriodFigures;
}

/** Figures of the operations in a period. */
export interface PeriodFigures {
  total_operations: number;
  /** 0 to 1. */
  success_rate: number;
  /** Milliseconds; 0 without response times. */
  avg_response_time_ms: number;
  /** Milliseconds; null without response times, or if they were not computed. */
  p95: number | null;
}

/** One value of a key in two periods; null for a period without operations that have it. */
export interface RecentValue {
  /** Null for operations without the key. */
  value: JsonValue;
  before: PeriodFigures | null;
  now: PeriodFigures | null;
}

export interface UserSummary {
  user_id: string;
  total_operations: number;
  /** 0 to 1. */
  success_rate: number;
  /** Milliseconds. */
  avg_response_time_ms: number;
  /** Milliseconds; null without response times, or if there are more than 100,000 operations and no sums tell it. */
  p95: number | null;
  /** Level of the newest operation; null without a level. */
  current_level: number | null;
  first_use: string | null;
  last_use: string | null;
  /** Trust after the newest operation, 0 to 1; null if it was not computed. */
  trust: number | null;
  /** Trust at the end of each period of `trend`, in the same order; null before the first operation, or if it was not computed. */
  trust_trajectory: (number | null)[] | null;
}

export interface PatternsSummary {
  patterns: number;
  /** Number of rows or items that are not patterns; nothing else counts them. */
  invalid: number;
  /** Number of patterns by type and by agent, the most frequent first. */
  by_type: { name: string; patterns: number }[];
  by_agent: { name: string; patterns: number }[];
  /** Number of patterns with a confidence in [0, 0.1), [0.1, 0.2), … [0.9, 1]; a confidence outside of 0 to 1 is counted in the nearest. */
  by_confidence: number[];
  /** Sums of the counters of all patterns. */
  usage_count: number;
  success_count: number;
  failure_count: number;
  /** Patterns with the highest usage, at most as many as the summary was asked for. */
  top_patterns: PatternSummary[];
}

export interface PatternSummary {
  id: string;
  agent_id: string;
  pattern_type: string;
  name: string;
  confidence: number;
  usage_count: number;
  success_count: number;
  failure_count: number;
  tags: string[];
  last_used: string | null;
}

/** A pattern library in JSON. */
export interface LibrarySummary {
  path: string;
  bytes: number;
  patterns: PatternsSummary;
}

/** A state directory, or an archive of one. */
export interface StatesSummary {
  path: string;
  states: number;
  /** Files that were read and are not valid states. */
  invalid: number;
  /** Files that could not be read. */
  unreadable: number;
  /** Mean trust of the states with a number, 0 to 1; null without one. */
  avg_trust: number | null;
  /** States in the order of their users, at most as many as the summary was asked for. */
  top_states: StateSummary[];
}

export interface StateSummary {
  user_id: string;
  /** The reason why the file is not a valid state, or cannot be read; null for a valid state. */
  reason: string | null;
  trust_level: number | null;
  current_level: number | null;
  target_level: number | null;
  interaction_count: number | null;
  success_count: number | null;
  failure_count: number | null;
  last_interaction: string | null;
  created_at: string | null;
}

/** Differences between two targets, as `perdura-inspect compare BEFORE AFTER --json` prints them. */
export interface Comparison {
  format: "perdura-comparison-1";
  made_at: string;
  program: string;
  before: Summary;
  after: Summary;
  /** Numbers of compared items with their results. */
  compared: ComparedItems[];
  /** One row per fact that was compared, for example the number of operations. */
  facts: ComparedFact[];
  /** True if no fact is `missing` or `changed`. */
  complete: boolean;
}

/** Items of one kind that were compared, each under its id with all its values. */
export interface ComparedItems {
  /** Subject, for example `metrics`, `patterns` or `states`. */
  subject: string;
  item: "row" | "pattern" | "usage row" | "state";
  /** Number of items before. */
  before: number;
  same: number;
  missing: number;
  changed: number;
  quarantined: number;
  added: number;
}

export interface ComparedFact {
  /** Subject, for example `metrics`, `patterns` or `states`. */
  subject: string;
  /** Name of the fact, for example `operations of the user alice`. */
  fact: string;
  before: string;
  after: string;
  /**
   * `same`; `added`: only in `after`; `quarantined`: the rest is in the quarantine of `after`; `missing`: only in
   * `before`; `changed`: other values.
   */
  result: "same" | "added" | "quarantined" | "missing" | "changed";
}
