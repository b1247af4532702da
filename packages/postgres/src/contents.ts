import type { NonFinite } from "@perdura/internals/json/load_options.js";
import type { BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { FoundKeys } from "@perdura/internals/metrics/breakdown/found_keys.js";
import type { AskedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import { NO_PERCENTILES, type Percentiles } from "@perdura/internals/metrics/breakdown/percentiles.js";
import type { ChosenRows } from "@perdura/internals/metrics/chosen_rows.js";
import type { ExportOptions } from "@perdura/internals/metrics/export_progress.js";
import type { ListedInteraction } from "@perdura/internals/metrics/listing/listing.js";
import { askedList } from "@perdura/internals/metrics/listing/listing_arguments.js";
import type { ListedUser, Overview } from "@perdura/internals/metrics/overview_stats.js";
import type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";
import type { Range } from "@perdura/internals/metrics/time_range.js";
import type { Bucket, TrendPeriod, UserTrendPeriod } from "@perdura/internals/metrics/trends/trend.js";
import type { AskedTrend, AskedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import type { QueryResultRow } from "pg";
import type { Connection, Session } from "./connection/connection.ts";
import { cursorRows } from "./connection/cursor_rows.ts";
import type { Tables } from "./layout/set_up.ts";
import { findBreakdownKeys } from "./metrics/breakdown_reader.ts";
import { interactions, prepareExport, type ServerInteraction } from "./metrics/export.ts";
import { readAnyBreakdown } from "./metrics/key_reader.ts";
import { type ListPage, readListPage } from "./metrics/list_reader.ts";
import { countOrphanedMetadata } from "./metrics/orphaned_metadata.ts";
import { readOverviewBetween, readTopUsersBetween } from "./metrics/overview_between.ts";
import { OverviewReader } from "./metrics/overview_reader.ts";
import { hasPercentileSums, readAnyPercentiles, readPercentiles } from "./metrics/percentile_reader.ts";
import { StatisticsReader } from "./metrics/statistics_reader.ts";
import { readEveryPattern, type StoredPatterns } from "./patterns/load.ts";

/** Everything that a schema contains, at one moment. */
export interface Contents {
  /** Null without interactions. */
  metrics: StoredMetrics | null;
  /** Null if no library was saved yet. */
  patterns: ((nonFinite?: NonFinite) => Promise<StoredPatterns>) | null;
  /** All uses of patterns, in the order of their ids. */
  usage(): AsyncIterable<StoredUse>;
  /** Number of metadata without an interaction, which another program left where foreign keys did not apply. */
  orphanedMetadata(): Promise<number>;
}

/** A use of a pattern, with its id as text, which may be beyond 2^53. */
export interface StoredUse {
  id: string;
  pattern_id: string;
  agent_id: string;
  success: boolean;
  used_at: string | null;
}

/** Statistics of the interactions. */
export interface StoredMetrics {
  /** Statistics of one user; see `PostgresMetricsCollector.getUserStats`. */
  user(userId: string): Promise<UserStats>;
  /** Statistics over all users; see `PostgresMetricsCollector.getGlobalStats`. */
  global(): Promise<GlobalStats>;
  /** All users in the order of code points. */
  users(): Promise<string[]>;
  /** Periods with interactions of one user, in order of time, with trust. */
  userTrend(userId: string, asked: AskedUserTrend): Promise<UserTrendPeriod[]>;
  /** Periods with interactions, in order of time. */
  globalTrend(asked: AskedTrend): Promise<TrendPeriod[]>;
  /** Figures for each value under a key of the metadata; see `PostgresMetricsCollector.getBreakdown`. */
  breakdown(asked: AskedBreakdown): Promise<BreakdownRow[]>;
  /** Percentiles of the response times. */
  percentiles(chosen: ChosenRows): Promise<Percentiles>;
  /** The same by the start of a period; a period without response times is missing. */
  percentilesByPeriod(chosen: ChosenRows, bucket: Bucket): Promise<ReadonlyMap<string, Percentiles>>;
  /** The same by user. */
  percentilesByUser(range?: Range): Promise<ReadonlyMap<string, Percentiles>>;
  /** True if sums tell the percentiles of very many interactions. */
  hasPercentileSums(): Promise<boolean>;
  /** The newest interactions of a user between two moments, or of all time, the newest first. */
  newestOf(userId: string, limit: number, range?: Range): Promise<ListedInteraction<"level">[]>;
  /** Keys for breakdowns, from the metadata of the newest interactions. */
  breakdownKeys(): Promise<FoundKeys>;
  /** Counts, rates, levels and times of all interactions together. */
  overview(): Promise<Overview>;
  /** Users with the most interactions first, users with equal numbers in the order of code points. */
  topUsers(limit: number): Promise<ListedUser[]>;
  /** Statistics of one user between two moments. */
  userBetween(userId: string, range: Range): Promise<UserStats>;
  /** Statistics over all users between two moments. */
  globalBetween(range: Range): Promise<GlobalStats>;
  /** The overview of the interactions between two moments. */
  overviewBetween(range: Range): Promise<Overview>;
  /** Ids of the users with the most interactions between two moments, in the same order. */
  topUsersBetween(range: Range, limit: number): Promise<string[]>;
  /** Writes all interactions to a file; see `PostgresMetricsCollector.exportMetrics`. */
  exportTo(filepath: string, options?: ExportOptions): Promise<number>;
  /** All interactions with their metadata, in the order of their ids. */
  rows(): AsyncIterable<ServerInteraction>;
}

/** @param session A transaction in which all statements see one moment. */
export async function contentsOf(session: Session, connection: Connection, tables: Tables): Promise<Contents> {
  const { names } = tables;
  const [present] = await session.query<{ metrics: boolean; patterns: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM ${names.interactions}) AS metrics,
       EXISTS (SELECT 1 FROM ${names.meta} WHERE key = 'library_saved') OR EXISTS (SELECT 1 FROM ${names.patterns}) AS patterns`,
  );
  return {
    metrics: present?.metrics === true ? metricsIn(session, connection, tables) : null,
    patterns:
      present?.patterns === true
        ? async (nonFinite) => {
            const found = await readEveryPattern(session, names, connection.place, nonFinite);
            if (found === undefined) throw new Error("A library that was found must be readable.");
            return found;
          }
        : null,
    usage: () =>
      cursorRows<StoredUse & QueryResultRow>(
        session,
        `SELECT id::text AS id, pattern_id, agent_id, success, used_at FROM ${names.patternUsage} ORDER BY pattern_usage.id`,
      ),
    orphanedMetadata: () => countOrphanedMetadata(session, tables),
  };
}

async function newestOf(
  session: Session,
  tables: Tables,
  userId: string,
  limit: number,
  range: Range | undefined,
): Promise<ListedInteraction<"level">[]> {
  const asked = askedList({ user_id: userId, ...range });
  const rows: ListedInteraction<"level">[] = [];
  let page: ListPage | undefined;
  do {
    page = await readListPage(session, tables, asked, page?.next);
    rows.push(...page.rows);
  } while (page.next !== undefined && rows.length < limit);
  return rows.slice(0, limit);
}

function metricsIn(session: Session, connection: Connection, tables: Tables): StoredMetrics {
  const { names } = tables;
  const questions = new StatisticsReader(connection, names);
  const overview = new OverviewReader(session, tables, questions);
  return {
    user: (userId) => questions.user(userId, session),
    global: () => questions.global(session),
    users: () => questions.users(session),
    userTrend: (userId, asked) => questions.userTrend(userId, asked, session),
    globalTrend: (asked) => questions.globalTrend(asked, session),
    breakdown: async (asked) => (await readAnyBreakdown(session, tables, asked)).rows,
    percentiles: async (chosen) =>
      (await readAnyPercentiles(session, tables, chosen)).percentiles.get("") ?? NO_PERCENTILES,
    percentilesByPeriod: async (chosen, bucket) =>
      (await readAnyPercentiles(session, tables, chosen, bucket)).percentiles,
    percentilesByUser: (range) => readPercentiles(session, names, { user: undefined, range }, "user"),
    hasPercentileSums: () => hasPercentileSums(session, tables),
    newestOf: (userId, limit, range) => newestOf(session, tables, userId, limit, range),
    breakdownKeys: () => findBreakdownKeys(session, names),
    overview: () => overview.overview(),
    topUsers: (limit) => overview.topUsers(limit),
    userBetween: (userId, range) => questions.userBetween(userId, range, session),
    globalBetween: (range) => questions.globalBetween(range, session),
    overviewBetween: (range) => readOverviewBetween(session, names, range),
    topUsersBetween: (range, limit) => readTopUsersBetween(session, names, range, limit),
    exportTo: (filepath, options = {}) => prepareExport(filepath, options, undefined)(session, tables, questions),
    rows: () => interactions(session, tables),
  };
}
