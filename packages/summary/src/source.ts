import type { NonFinite } from "@perdura/internals/json/load_options.js";
import type { ExportOptions } from "@perdura/internals/metrics/export_progress.js";
import type { BreakdownQueries } from "@perdura/internals/metrics/breakdown/breakdown_queries.js";
import type { PercentileQueries } from "@perdura/internals/metrics/breakdown/percentile_queries.js";
import type { FoundKeys } from "@perdura/internals/metrics/breakdown/found_keys.js";
import type { ListedInteraction } from "@perdura/internals/metrics/listing/listing.js";
import type { OverviewQueries } from "@perdura/internals/metrics/overview_stats.js";
import type { RangeQueries } from "@perdura/internals/metrics/range_queries.js";
import type { StatisticsQueries } from "@perdura/internals/metrics/statistics.js";
import type { Range } from "@perdura/internals/metrics/time_range.js";
import type { InvalidPattern } from "@perdura/internals/patterns/invalid_patterns.js";
import type { PatternLibrary } from "@perdura/internals/patterns/library.js";
import type { InteractionColumns } from "@perdura/internals/validity/interaction_problems.js";
import type { Line } from "./document.ts";

/** A table with interactions in any layout. */
export interface SourceTable {
  name: string;
  names: InteractionColumns;
  /** True if `interaction_metadata` has the metadata of this table. */
  sideTable: boolean;
  /** Added to the ids of its rows, so that those of two tables differ and are in order of time. */
  idOffset: number;
}

/** Facts about a database that recognition found. */
export interface SourceLayout {
  path: string;
  line: Line | null;
  /** The layout, in words. */
  layout: string;
  refusal: string | null;
  /** Tables with interactions: none, one, or two whose rows a migration merges. */
  tables: readonly SourceTable[];
  hasPatterns: boolean;
}

/** Interactions of a database of any layout, under the names of the 16+ line. */
export interface MetricsSource {
  /** True if any row can have a level. */
  hasLevels: boolean;
  /** True if some rows have lost their levels. */
  hasLostLevels: boolean;
  statistics: MaybeLater<
    StatisticsQueries &
      RangeQueries &
      OverviewQueries &
      BreakdownQueries &
      PercentileQueries &
      KeyQueries &
      NewestQueries
  >;
  /** All interactions with their metadata. */
  rows: StoredRows;
  /** Writes all interactions to a file; see the export of the lines. */
  exportTo(filepath: string, options?: ExportOptions): number | Promise<number>;
}

/** Queries about the keys of metadata. */
export interface KeyQueries {
  /** Keys for breakdowns; if none is declared, from the metadata of the newest interactions. */
  breakdownKeys(): FoundKeys;
}

/** A query about single interactions. */
export interface NewestQueries {
  /** The newest interactions of a user between two moments, or of all time, the newest first; without those whose ids are not integers. */
  newestOf(userId: string, limit: number, range?: Range): ListedInteraction<"level">[];
}

/** Queries whose answers may come later, from a server. */
export type MaybeLater<Queries> = {
  [Name in keyof Queries]: Queries[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Answer | Promise<Answer>
    : never;
};

/** The data of a database of any layout. It can be read until the connection is closed. */
export interface SourceDatabase {
  /** Path, or the address of a server without its password. */
  path: string;
  line: Line | null;
  layout: string;
  /** Reason why the interactions cannot be read, for a layout that no version reads; otherwise null. */
  refusal: string | null;
  /** Null if the database has no interactions. */
  metrics: MetricsSource | null;
  /** Null if the database has no patterns. */
  patterns: ((nonFinite?: NonFinite) => ReadPatterns | Promise<ReadPatterns>) | null;
  /** The rows of `pattern_usage`. */
  usage: StoredRows;
  /** Number of metadata without an interaction, which another program left. */
  orphanedMetadata: () => number | Promise<number>;
  /** Rows that a migration moved to its table `perdura_quarantine`. */
  quarantine: () => QuarantinedRow[];
}

/** Reads a database that was found, in the state of one moment. It may be called several times. */
export type OpenSource = <Result>(use: (source: SourceDatabase) => Result | Promise<Result>) => Promise<Result>;

/** Rows of one kind, whatever the layout of the tables that hold them. */
export interface StoredRows {
  /** Names of the values that each row has; the first one names its owner. */
  columns: readonly string[];
  /** Reads the rows one at a time, in the order of their ids; those of a server come later. */
  read: () => Iterable<StoredRow> | AsyncIterable<StoredRow>;
}

export interface StoredRow {
  /** The id that a migration keeps or gives. */
  id: StoredValue;
  /** The table of the row, and its id there. */
  table: string;
  ownId: StoredValue;
  /** In the order of the columns. */
  values: StoredValue[];
}

/** Undefined for a value that the layout has lost. Integers are exact. */
export type StoredValue = string | number | bigint | Uint8Array | null | undefined;

/** A row in quarantine. */
export interface QuarantinedRow {
  /** The table from which it was moved. */
  table: string;
  reason: string;
  id: string | null;
  /** The user of an interaction; null for other rows. */
  user_id: string | null;
}

/** The patterns of a database, and the rows that are not patterns. */
export interface ReadPatterns {
  library: PatternLibrary;
  invalid: InvalidPattern[];
}
