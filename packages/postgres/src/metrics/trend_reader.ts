import type { TrendPeriod, UserTrendPeriod } from "@perdura/internals/metrics/trends/trend.js";
import type { AskedTrend, AskedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import { daysRead } from "@perdura/internals/metrics/days_read.js";
import {
  compose,
  DEFAULT_FIGURES,
  NO_CHANGE,
  stepOf,
  TRUST_UNITS,
  trustByPeriod,
  type TrustChange,
  type TrustFigures,
} from "@perdura/internals/metrics/trends/trust.js";
import { rate } from "@perdura/internals/metrics/user_stats.js";
import type { Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";
import { type FoundSums, limitsOf } from "./range_reader.ts";
import { TRUST_UNIT } from "../layout/trust_function.ts";

/** Sums of a period. */
interface FoundPeriod extends FoundSums {
  period: string;
}

/** Consecutive interactions of a user in one period, with the sums of the whole period. */
interface FoundPart extends FoundPeriod {
  /** Digits 1 (success) and 0 (failure); null for a stored day. */
  outcomes: string | null;
  /** Effect of a stored day on trust, as `{add,low,high}`. */
  trust: string | null;
}

/** A trend, and the number of rows that were counted in addition to the sums. */
export interface ReadTrend<Period> {
  periods: Period[];
  counted: number;
}

/** Reads the trend of a user in one statement. */
export async function readUserTrend(
  session: Session,
  names: Names,
  userId: string,
  asked: AskedUserTrend,
): Promise<ReadTrend<UserTrendPeriod>> {
  const { gain, loss } = asked.trust;
  const isStored = gain === DEFAULT_FIGURES.gain && loss === DEFAULT_FIGURES.loss;
  const parts = await session.query<FoundPart>(
    `SELECT * FROM ${names.userTrend}($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [userId, ...parametersOf(asked), !isStored],
    "perdura_user_trend",
  );
  const trusts = trustByPeriod(
    parts.map(({ period, outcomes, trust }) => ({
      period,
      change: outcomes === null ? changeOfDay(trust as string) : changeOfOutcomes(outcomes, asked.trust),
    })),
    asked.trust,
  );
  const found = new Map(parts.map((part) => [part.period, part]));
  const periods = [...found.values()]
    .filter(({ operations }) => operations > 0)
    .toSorted((one, other) => (one.period < other.period ? -1 : 1))
    .map((period) => ({ ...periodOf(period), trust: trusts.get(period.period) as number }));
  return { periods, counted: isStored ? countedIn(parts) : 0 };
}

/** Reads the trend of all users in one statement. */
export async function readGlobalTrend(
  session: Session,
  names: Names,
  asked: AskedTrend,
): Promise<ReadTrend<TrendPeriod>> {
  const found = await session.query<FoundPeriod>(
    `SELECT * FROM ${names.globalTrend}($1, $2, $3, $4, $5, $6, $7)`,
    parametersOf(asked),
    "perdura_global_trend",
  );
  return { periods: found.map(periodOf), counted: countedIn(found) };
}

const countedIn = (found: readonly FoundPeriod[]): number => found.reduce((sum, { counted }) => sum + counted, 0);

function periodOf(found: FoundPeriod): TrendPeriod {
  const { period, operations, successes, mean } = found;
  return {
    period,
    total_operations: operations,
    success_rate: rate(successes, operations),
    avg_response_time_ms: Number(mean ?? 0),
    level_1_count: found.level_1_count,
    level_2_count: found.level_2_count,
    level_3_count: found.level_3_count,
    level_4_count: found.level_4_count,
    level_5_count: found.level_5_count,
  };
}

/** Bucket, limits, and the days whose rows are read. */
function parametersOf(asked: AskedTrend): string[] {
  return [asked.bucket, ...limitsOf(daysRead(asked, asked.bucket === "hour"))];
}

function changeOfDay(trust: string): TrustChange {
  const [add = 0, low = 0, high = 0] = trust
    .slice(1, -1)
    .split(",")
    .map((hundredths) => Number(hundredths) * TRUST_UNIT);
  // An addition beyond the whole range has the effect of the whole range.
  return { add: Math.min(TRUST_UNITS, Math.max(-TRUST_UNITS, add)), low, high };
}

function changeOfOutcomes(outcomes: string, figures: TrustFigures): TrustChange {
  const [success, failure] = [stepOf(true, figures), stepOf(false, figures)];
  let change = NO_CHANGE;
  for (const outcome of outcomes) change = compose(change, outcome === "1" ? success : failure);
  return change;
}
