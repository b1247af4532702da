import { askedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import { EXACT_UP_TO, type Percentiles } from "@perdura/internals/metrics/breakdown/percentiles.js";
import type { ListedUser, Overview } from "@perdura/internals/metrics/overview_stats.js";
import type { Bucket, TrendPeriod } from "@perdura/internals/metrics/trends/trend.js";
import { ALWAYS, type Range } from "@perdura/internals/metrics/time_range.js";
import { askedTrend, askedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import type { BreakdownSummary, MetricsSummary, RecentSummary, UserSummary } from "./document.ts";
import { metricsBetween } from "./one_period.ts";
import type { MetricsSource } from "./source.ts";
import { recentValues, summarizeRecent } from "./summarize_recent.ts";

/** Limits of the lists in a summary. */
export interface ListLimits {
  /** Maximum number of users, patterns and states that are listed. */
  rows: number;
  /** Maximum number of users with a trust trajectory. */
  trajectories: number;
  /** The moments between which interactions are counted; by default all are. */
  range?: Range | undefined;
}

/** Summarises the interactions of a database. */
export async function summarizeMetrics(source: MetricsSource, limits: ListLimits): Promise<MetricsSummary> {
  const { statistics, hasLevels } = metricsBetween(source, limits.range);
  const overview = await statistics.overview();
  const bucket = bucketFor(overview);
  const periods = await statistics.globalTrend(askedTrend({ bucket }));
  const hasPercentiles = overview.operations <= EXACT_UP_TO || (await statistics.hasPercentileSums());
  const percentiles = hasPercentiles ? await percentilesOf(statistics, bucket) : NO_PERCENTILES_READ;
  const recent = await summarizeRecent(statistics, { bucket, periods }, hasPercentiles, new Date());
  const p95Of = await p95OfUsers(statistics, overview.operations);
  const levels = [1, 2, 3, 4, 5].map((level) => overview[`level_${level}_count` as "level_1_count"]);
  const users: UserSummary[] = [];
  for (const user of await statistics.topUsers(limits.rows)) {
    const isWanted = users.length < limits.trajectories;
    const trajectory = isWanted ? await trajectoryOf(statistics, user.user_id, bucket, periods) : null;
    const p95 = await p95Of(user.user_id);
    users.push({ ...userSummary(user, p95, trajectory?.at(-1) ?? null), trust_trajectory: trajectory });
  }
  return {
    users: overview.users,
    operations: overview.operations,
    success_rate: overview.success_rate,
    avg_response_time_ms: overview.avg_response_time_ms,
    percentiles: percentiles.all,
    first_use: overview.first_use,
    last_use: overview.last_use,
    levels: hasLevels ? (levels as NonNullable<MetricsSummary["levels"]>) : null,
    other_levels: hasLevels ? overview.operations - levels.reduce((sum, count) => sum + count, 0) : 0,
    without_time: overview.without_time,
    trend: { bucket, periods: hasPercentiles ? periods.map(withP95(percentiles.byPeriod)) : periods },
    recent,
    breakdowns: await summarizeBreakdowns(statistics, overview.operations, limits.rows, recent),
    top_users: users,
  };
}

/** Percentiles of all operations, and of the periods. */
interface ReadPercentiles {
  all: Percentiles | null;
  byPeriod: ReadonlyMap<string, Percentiles>;
}

const NO_PERCENTILES_READ: ReadPercentiles = { all: null, byPeriod: new Map() };

async function percentilesOf(statistics: MetricsSource["statistics"], bucket: Bucket): Promise<ReadPercentiles> {
  const chosen = { user: undefined, range: undefined };
  return {
    all: await statistics.percentiles(chosen),
    byPeriod: await statistics.percentilesByPeriod({ ...chosen, range: ALWAYS }, bucket),
  };
}

/**
 * The percentile 95 of a user: from all rows where they are few, and otherwise from those of this user and from sums; null
 * without sums, because each user could have very many rows.
 */
async function p95OfUsers(
  statistics: MetricsSource["statistics"],
  operations: number,
): Promise<(userId: string) => Promise<number | null>> {
  if (operations <= EXACT_UP_TO) {
    const all = await statistics.percentilesByUser();
    return async (userId) => all.get(userId)?.p95 ?? null;
  }
  const hasSums = await statistics.hasPercentileSums();
  return async (user) => (hasSums ? (await statistics.percentiles({ user, range: undefined })).p95 : null);
}

function withP95(byPeriod: ReadPercentiles["byPeriod"]) {
  return (period: TrendPeriod) => ({ ...period, p95: byPeriod.get(period.period)?.p95 ?? null });
}

/** Limits of the number of values of a breakdown. */
const [FEWEST_VALUES, MOST_VALUES] = [10, 100];

/** Breakdowns of which sums are kept, and those that are counted from few rows. */
async function summarizeBreakdowns(
  statistics: MetricsSource["statistics"],
  operations: number,
  rows: number,
  recent: RecentSummary | null,
): Promise<BreakdownSummary[]> {
  const limit = Math.min(Math.max(rows, FEWEST_VALUES), MOST_VALUES);
  const { keys, numbers } = await statistics.breakdownKeys();
  const breakdowns: BreakdownSummary[] = [];
  for (const { key, isDeclared } of keys) {
    const isCounted = isDeclared || operations <= EXACT_UP_TO;
    const values = isCounted ? await statistics.breakdown(askedBreakdown(key, { numbers, limit })) : null;
    // Found among the newest operations, which may be outside of the range.
    if (!isDeclared && values?.length === 0) continue;
    const isCompared = values !== null && recent !== null;
    breakdowns.push({ key, values, recent: isCompared ? await recentValues(statistics, key, values, recent) : null });
  }
  return breakdowns;
}

/** Statistics of the users with the most operations, with their present trust. */
export async function listUsers({ statistics }: MetricsSource, rows: number): Promise<ListedUserSummary[]> {
  // The longest periods are the fewest, and the last one ends with the newest operation.
  const asked = askedUserTrend({ bucket: "month" });
  const users: ListedUserSummary[] = [];
  const p95Of = await p95OfUsers(statistics, (await statistics.global()).total_interactions);
  for (const user of await statistics.topUsers(rows)) {
    const trust = (await statistics.userTrend(user.user_id, asked)).at(-1)?.trust ?? null;
    users.push(userSummary(user, await p95Of(user.user_id), trust));
  }
  return users;
}

/** A user without the trust at the end of each period. */
export type ListedUserSummary = Omit<UserSummary, "trust_trajectory">;

function userSummary(user: ListedUser, p95: number | null, trust: number | null): ListedUserSummary {
  return {
    user_id: user.user_id,
    total_operations: user.total_operations,
    success_rate: user.success_rate,
    avg_response_time_ms: user.avg_response_time_ms,
    p95,
    current_level: user.current_level ?? null,
    first_use: user.first_use,
    last_use: user.last_use,
    trust,
  };
}

/** Computes the trust of a user at the end of each period: in periods without operations, that of the period before. */
async function trajectoryOf(
  statistics: MetricsSource["statistics"],
  userId: string,
  bucket: Bucket,
  periods: readonly TrendPeriod[],
): Promise<(number | null)[]> {
  const trend = await statistics.userTrend(userId, askedUserTrend({ bucket }));
  const trust = new Map(trend.map((each) => [each.period, each.trust]));
  let last: number | null = null;
  return periods.map(({ period }) => (last = trust.get(period) ?? last));
}

/** Maximum number of periods that a chart shows well. */
const MOST_PERIODS = 400;
/** Hours are computed from rows, so only few rows are read. */
const MOST_ROWS_BY_HOUR = 100_000;
const DAY_MS = 86_400_000;

/** The shortest periods of which a chart can show all. */
function bucketFor({ first_use, last_use, operations }: Overview): Bucket {
  const [first, last] = [first_use, last_use].map((time) => Date.parse(`${(time ?? "").slice(0, 10)}T00:00:00Z`));
  const days = ((last ?? Number.NaN) - (first ?? Number.NaN)) / DAY_MS + 1;
  if (Number.isNaN(days)) return "day";
  if (days <= 3 && operations <= MOST_ROWS_BY_HOUR) return "hour";
  return days <= MOST_PERIODS ? "day" : days <= 7 * MOST_PERIODS ? "week" : "month";
}
