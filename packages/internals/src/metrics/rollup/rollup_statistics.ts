import type { Waits } from "../../sqlite/busy.ts";
import { Pace } from "../../sqlite/pace.ts";
import { type Database, DEFAULT_WAITS, type Statement } from "../../sqlite/open_database.ts";
import type { OverviewQueries } from "../overview_stats.ts";
import { lazy } from "../../runtime/lazy.ts";
import { overviewQueries } from "../overview.ts";
import type { LevelColumn } from "../schema.ts";
import { type CollectorQueries, statisticsQueries } from "../statistics.ts";
import type { GlobalStats, UserStats } from "../stats.ts";
import type { BreakdownRow } from "../breakdown/breakdown.ts";
import type { AskedBreakdown } from "../breakdown/breakdown_arguments.ts";
import { breakdownQueries } from "../breakdown/breakdown_queries.ts";
import { percentileQueries } from "../breakdown/percentile_queries.ts";
import { EXACT_UP_TO, NO_PERCENTILES, type Percentiles } from "../breakdown/percentiles.ts";
import type { ChosenRows } from "../chosen_rows.ts";
import type { Bucket } from "../trends/trend.ts";
import { type Condition, conditionOf, schemaVersionQuery } from "./condition.ts";
import type { Totals } from "./folded_piece.ts";
import { LastAnswer } from "./last_answer.ts";
import { ROLLUP_LIMITS, type RollupLimits } from "./limits.ts";
import { type MaintainedDatabase, maintainBriefly, maintainFully, refreshFully } from "./maintenance.ts";
import { prepareReading, type Reading } from "./reading.ts";
import { isLongLog, supportsRollup } from "./suitable.ts";

/** Statistics with a rollup that can be updated before a question. */
export interface RollupStatistics extends CollectorQueries, OverviewQueries {
  /** Updates the rollup up to the last row, if the table has enough rows for one. */
  foldAll(): void;
  /**
   * Does the same in steps, between which the caller lets other writers continue.
   *
   * @param sliceMs Time that a step may take, in milliseconds.
   */
  folding(sliceMs: () => number): Generator<void, void>;
  /** Works like `folding`, but only computes the sums of users again whose folded rows were changed. */
  refreshing(sliceMs: () => number): Generator<void, void>;
}

export interface RollupOptions extends Partial<RollupLimits> {
  /** Waits for other writers; the connection's default if absent. */
  waits?: Waits | undefined;
  /** Number of interactions whose percentiles are exact, from the rows. */
  exactUpTo?: number | undefined;
}

/** State of the rollup at a schema version. */
interface Known {
  schemaVersion: number;
  condition: Condition;
  /** Only if the rollup is ready. */
  reading: Reading | undefined;
  /** True if a rollup may be built; determined when the table has enough rows. */
  suitable?: boolean;
}

/** Result of a question that needs an updated rollup first. */
const LATER = Symbol("later");

/** Answers from the rollup; undefined if only a count of all rows can answer. */
type Question<Answer> = (reading: Reading, last: boolean) => Answer | typeof LATER | undefined;

/**
 * Statistics in a time that does not grow with the number of rows. A table contains each user's sums over the rows up
 * to a watermark; a question adds the rows above it. Questions fold the rows, so recording costs nothing more. Only
 * databases with many rows get the tables. Triggers record the users whose folded rows change. If the rollup is not in
 * the expected state, all rows are counted, as in {@link statisticsQueries}.
 */
export function rollupStatistics(
  database: Database,
  levelColumn: LevelColumn,
  options: RollupOptions = {},
): RollupStatistics {
  const limits = { ...ROLLUP_LIMITS, ...options };
  const { threshold } = limits;
  const exactUpTo = options.exactUpTo ?? EXACT_UP_TO;
  const maintained: MaintainedDatabase = { database, levelColumn, limits, waits: options.waits ?? DEFAULT_WAITS };
  const plain = {
    ...statisticsQueries(database, levelColumn),
    ...breakdownQueries(database, exactUpTo),
    ...percentileQueries(database, exactUpTo),
  };
  const overviewOfRows = lazy(() => overviewQueries(database, levelColumn));
  const pace = new Pace(limits.piece);
  const schemaVersion = schemaVersionQuery(database);
  const spread = database
    .prepare("SELECT (SELECT max(id) FROM interactions) - (SELECT min(id) FROM interactions)")
    .pluck() as Statement<[], number | null>;
  const atOneMoment = database.transaction((task: () => unknown) => task());
  const lastAnswer = new LastAnswer(database);
  let known: Known | undefined;

  /** The state of the rollup. The caller holds a transaction. */
  const look = (): Known => {
    const version = schemaVersion.get() as number;
    if (known?.schemaVersion !== version) {
      const condition = conditionOf(database, version);
      const reading = condition === "ready" ? prepareReading(database, levelColumn, exactUpTo) : undefined;
      known = { schemaVersion: version, condition, reading };
    }
    return known;
  };

  const isDue = (found: Known): boolean => {
    if (found.condition !== "absent") return found.condition === "broken" || found.condition === "outdated";
    if ((spread.get() ?? 0) < threshold || !isLongLog(database, threshold)) return false;
    return (found.suitable ??= supportsRollup(database));
  };

  const attempt = <Answer>(viaRollup: Question<Answer>, fromAllRows: () => Answer, last: boolean) => {
    const found = look();
    if (found.reading !== undefined) return viaRollup(found.reading, last) ?? fromAllRows();
    return !last && isDue(found) ? LATER : fromAllRows();
  };

  const ask = <Answer>(viaRollup: Question<Answer>, fromAllRows: () => Answer): Answer => {
    if (database.inTransaction) return attempt(viaRollup, fromAllRows, true) as Answer;
    // A database with few rows needs no transaction, because a single query counts all rows.
    if (known?.condition === "absent" && schemaVersion.get() === known.schemaVersion && !isDue(known))
      return fromAllRows();
    const answer = atOneMoment(() => attempt(viaRollup, fromAllRows, false));
    if (answer !== LATER) return answer as Answer;
    maintainBriefly(maintained, pace);
    return atOneMoment(() => attempt(viaRollup, fromAllRows, true)) as Answer;
  };

  /** A question about a user who is not stale. */
  const ofUser =
    <Answer>(userId: string, viaRollup: (reading: Reading) => Answer | undefined): Question<Answer> =>
    (reading, last) => {
      const found = reading.userStatus(userId);
      if (found === undefined || found.unseen === 1) return undefined;
      const { behind, stale } = found;
      const work = stale === 1 ? reading.foldedRows(userId) : (behind ?? 0);
      if (!last && work > threshold) return LATER;
      return stale === 1 ? undefined : viaRollup(reading);
    };

  /** A question about all users, of whom few are stale. */
  const ofAll =
    <Answer>(
      viaRollup: (reading: Reading, folded: Totals | undefined) => Answer | undefined,
      mayBeStale: boolean,
    ): Question<Answer> =>
    (reading, last) => {
      const found = reading.globalStatus();
      if (found === undefined || found.unseen === 1) return undefined;
      const tail = found.behind ?? 0;
      const stale = reading.staleWork(threshold);
      if (!last && (Math.max(tail, stale) > threshold || (stale > 0 && !mayBeStale))) return LATER;
      // While most rows are not folded, counting all rows is faster.
      if (stale > (mayBeStale ? threshold : 0) || tail > Math.max(found.operations, threshold)) return undefined;
      return viaRollup(reading, tail <= 0 && stale === 0 ? found : undefined);
    };

  const askOfUser = <Answer>(
    userId: string,
    viaRollup: (reading: Reading) => Answer | undefined,
    fromAllRows: () => Answer,
  ): Answer => ask(ofUser(userId, viaRollup), fromAllRows);

  const askOfAll = <Answer>(
    viaRollup: (reading: Reading, folded: Totals | undefined) => Answer | undefined,
    fromAllRows: () => Answer,
    mayBeStale: boolean = true,
  ): Answer => ask(ofAll(viaRollup, mayBeStale), fromAllRows);

  /** A question about one user or all, from the sums of a key, of which few rows are missing. */
  const viaKey = <Answer>(
    user: string | undefined,
    viaSums: (reading: Reading) => Answer | undefined,
    behind: number | null,
  ): Question<Answer> => {
    const question = user === undefined ? ofAll(viaSums, false) : ofUser(user, viaSums);
    return (reading, last) => (!last && (behind ?? Infinity) > threshold ? LATER : question(reading, last));
  };

  /** A breakdown by a declared key. */
  const byKey =
    (asked: AskedBreakdown): Question<BreakdownRow[]> =>
    (reading, last) => {
      const { keys } = reading;
      if (!keys.covers(asked)) return undefined;
      return viaKey(asked.user, () => keys.breakdown(asked), keys.behind(asked))(reading, last);
    };

  const percentilesOf =
    (chosen: ChosenRows, bucket?: Bucket): Question<ReadonlyMap<string, Percentiles>> =>
    (reading, last) => {
      const { keys } = reading;
      const key = keys.any();
      if (key === undefined) return undefined;
      return viaKey(chosen.user, () => keys.percentiles(key.key_id, chosen, bucket), key.behind)(reading, last);
    };

  const folding = (sliceMs: () => number): Generator<void, void> => maintainFully(maintained, sliceMs);

  return {
    user: (userId) =>
      lastAnswer.of(userId, () => known?.reading?.settled(userId, known.schemaVersion)) ??
      askOfUser<UserStats>(
        userId,
        (reading) => reading.user(userId),
        () => plain.user(userId),
      ),
    global: () => askOfAll<GlobalStats>((reading, folded) => reading.global(folded), plain.global),
    users: () => {
      const ofSums = ofAll<string[]>((reading) => reading.users(), true);
      return ask((reading, last) => reading.usersByIndex() ?? ofSums(reading, last), plain.users);
    },
    userBetween: (userId, range) =>
      askOfUser(
        userId,
        (reading) => reading.ranges.user(userId, range),
        () => plain.userBetween(userId, range),
      ),
    globalBetween: (range) =>
      askOfAll(
        (reading) => reading.ranges.global(range),
        () => plain.globalBetween(range),
        false,
      ),
    userTrend: (userId, asked) =>
      askOfUser(
        userId,
        (reading) => reading.userTrend(userId, asked),
        () => plain.userTrend(userId, asked),
      ),
    globalTrend: (asked) =>
      askOfAll(
        (reading) => reading.globalTrend(asked),
        () => plain.globalTrend(asked),
        // The sums of days do not tell how much of an hour belongs to a stale user.
        false,
      ),
    overview: () =>
      askOfAll(
        (reading) => reading.overviews.overview(),
        () => overviewOfRows().overview(),
        false,
      ),
    topUsers: (limit) =>
      askOfAll(
        (reading) => reading.overviews.topUsers(limit),
        () => overviewOfRows().topUsers(limit),
        false,
      ),
    overviewBetween: (range) => overviewOfRows().overviewBetween(range),
    topUsersBetween: (range, limit) => overviewOfRows().topUsersBetween(range, limit),
    breakdown: (asked) => ask(byKey(asked), () => plain.breakdown(asked)),
    percentiles: (chosen) =>
      ask(
        (reading, last) => {
          const found = percentilesOf(chosen)(reading, last);
          return found === undefined || found === LATER ? found : (found.get("") ?? NO_PERCENTILES);
        },
        () => plain.percentiles(chosen),
      ),
    percentilesByPeriod: (chosen, bucket) =>
      ask(percentilesOf(chosen, bucket), () => plain.percentilesByPeriod(chosen, bucket)),
    percentilesByUser: plain.percentilesByUser,
    hasPercentileSums: () =>
      ask(
        (reading) => reading.keys.any() !== undefined,
        () => false,
      ),
    // Within the transaction, nothing is folded.
    atOneMoment: (questions) => {
      ask(
        (reading, last) => viaKey(undefined, () => true, reading.keys.any()?.behind ?? 0)(reading, last),
        () => true,
      );
      return plain.atOneMoment(questions);
    },
    listPage: plain.listPage,
    foldAll: () => {
      const work = folding(() => limits.sliceMs);
      while (work.next().done !== true);
    },
    folding,
    refreshing: (sliceMs) => refreshFully(maintained, sliceMs),
  };
}
