import type { Database, Statement } from "../../sqlite/open_database.ts";
import { type DaysRead, daysRead } from "../days_read.ts";
import { lazy } from "../../runtime/lazy.ts";
import type { LevelColumn } from "../schema.ts";
import type { LevelCounts } from "../stats.ts";
import { ALWAYS } from "../time_range.ts";
import type { Bucket, TrendPeriod, UserTrendPeriod } from "../trends/trend.ts";
import type { AskedTrend, AskedUserTrend } from "../trends/trend_arguments.ts";
import { DEFAULT_FIGURES, trustByPeriod } from "../trends/trust.ts";
import { rate } from "../user_stats.ts";
import { OF_USER, partsSql } from "./parts_sql.ts";
import { changeOfColumns, changeOfOutcomes, type TRUST_COLUMNS } from "./trust_columns.ts";

/** Trends from the sums of days and the rows above the watermark. The caller holds a transaction. */
export interface TrendReading {
  /** Undefined if only all rows can give the answer. The user is not stale. */
  userTrend(userId: string, asked: AskedUserTrend): UserTrendPeriod[] | undefined;
  /** Undefined if only all rows can give the answer. No user is stale. */
  globalTrend(asked: AskedTrend): TrendPeriod[] | undefined;
}

/** Sums of interactions of one period. */
interface Part extends LevelCounts {
  period: string;
  /** 0 for interactions before `since`. */
  counted: 0 | 1;
  operations: number;
  successes: number;
  measured: number;
  negative: number;
  /** Null if the sum is beyond the range of a double. */
  ms: number | null;
}

/** A part of a user: stored with its effect on trust, or counted with its outcomes. */
interface UserPart extends Part, Record<(typeof TRUST_COLUMNS)[number], number> {
  outcomes: string | null;
  /** Lowest and highest id; rounded if they are beyond 2^53. */
  first_id: number;
  last_id: number;
}

type OfUser = Statement<[DaysRead & { user: string }], UserPart>;

interface Queries {
  user: () => OfUser;
  /** With the rows before the limits. */
  userSince: () => OfUser;
  global: Statement<[DaysRead], Part>;
}

export function prepareTrendReading(database: Database, levelColumn: LevelColumn): TrendReading {
  const prepared = new Map<Bucket, Queries>();
  const queriesOf = (bucket: Bucket): Queries => {
    const known = prepared.get(bucket);
    if (known !== undefined) return known;
    const queries: Queries = {
      user: lazy(() => database.prepare(userParts(bucket, levelColumn, false)) as OfUser),
      userSince: lazy(() => database.prepare(userParts(bucket, levelColumn, true)) as OfUser),
      global: database.prepare(partsSql({ bucket, levelColumn, table: "perdura_days", user: "" })),
    };
    prepared.set(bucket, queries);
    return queries;
  };
  return {
    userTrend: (user, asked) => {
      const { gain, loss } = asked.trust;
      if (gain !== DEFAULT_FIGURES.gain || loss !== DEFAULT_FIGURES.loss) return undefined;
      const queries = queriesOf(asked.bucket);
      const parts = asked.since === ALWAYS.since ? queries.user() : queries.userSince();
      const found = parts.all({ user, ...daysRead(asked, asked.bucket === "hour") });
      if (overlap(found)) return undefined;
      const trusts = trustByPeriod(
        found.map((part) => ({
          period: part.period,
          change: part.outcomes === null ? changeOfColumns(part) : changeOfOutcomes(part.outcomes),
        })),
        asked.trust,
      );
      return periodsOf(found)?.map((period) => ({ ...period, trust: trusts.get(period.period) as number }));
    },
    globalTrend: (asked) => periodsOf(queriesOf(asked.bucket).global.all(daysRead(asked, asked.bucket === "hour"))),
  };
}

/**
 * True if the ids of parts overlap, so that their effects on trust cannot be composed. Rounding of ids can only make
 * parts overlap that do not.
 */
function overlap(inOrder: readonly UserPart[]): boolean {
  let highest = -Infinity;
  return inOrder.some(({ first_id, last_id }) => {
    if (first_id <= highest) return true;
    highest = last_id;
    return false;
  });
}

/** Adds the parts of each period; undefined if only all rows can give a mean. */
function periodsOf(found: readonly Part[]): TrendPeriod[] | undefined {
  const sums = new Map<string, Part & { ms: number }>();
  for (const part of found) {
    if (part.counted === 0) continue;
    // A sum with cancellation is only correct if all rows are added at once.
    if (part.negative > 0 || part.ms === null || !Number.isFinite(part.ms)) return undefined;
    const known = sums.get(part.period);
    if (known === undefined) sums.set(part.period, { ...part, ms: part.ms });
    else for (const sum of SUMMED) known[sum] += part[sum] as number;
  }
  const periods = [...sums.values()].toSorted((one, other) => (one.period < other.period ? -1 : 1));
  if (!periods.every(({ ms }) => Number.isFinite(ms))) return undefined;
  return periods.map(({ period, operations, successes, measured, ms, ...part }) => ({
    period,
    total_operations: operations,
    success_rate: rate(successes, operations),
    avg_response_time_ms: rate(ms, measured),
    level_1_count: part.level_1_count,
    level_2_count: part.level_2_count,
    level_3_count: part.level_3_count,
    level_4_count: part.level_4_count,
    level_5_count: part.level_5_count,
  }));
}

const SUMMED = [
  "operations",
  "successes",
  "measured",
  "ms",
  "level_1_count",
  "level_2_count",
  "level_3_count",
  "level_4_count",
  "level_5_count",
] as const satisfies (keyof Part)[];

/** SQL for the parts of a user, in the order of their ids. */
function userParts(bucket: Bucket, levelColumn: LevelColumn, hasEarlier: boolean): string {
  const found = partsSql({ bucket, levelColumn, table: "perdura_user_days", user: OF_USER, also: "trust", hasEarlier });
  return `${found} ORDER BY first_id, last_id`;
}
