import type { Database, Statement } from "../../sqlite/open_database.ts";
import { lazy } from "../../runtime/lazy.ts";
import type { LevelColumn } from "../schema.ts";
import type { GlobalStats, UserStats } from "../stats.ts";
import { askableUsers, knownUser, rate, type UserCounts, userStats } from "../user_stats.ts";
import { schemaVersionQuery } from "./condition.ts";
import type { Totals } from "./folded_piece.ts";
import { type KeyReading, prepareKeyReading } from "./key_reading.ts";
import { GLOBAL, SETTLED, USERS, USERS_BY_INDEX, withTailQuery } from "./reading_sql.ts";
import { type OverviewReading, prepareOverviewReading } from "./overview_reading.ts";
import { prepareRangeReading, type RangeReading } from "./range_reading.ts";
import { hasIndexOfUsers } from "./whole_users.ts";
import { prepareTrendReading, type TrendReading } from "./trend_reading.ts";

/** Facts that a question about a user reads first. */
export interface UserStatus {
  /** Distance of the highest id from the watermark; null without rows. */
  behind: number | null;
  /** 1 if a row has the id -1, which the triggers cannot see; see `objects.ts`. */
  unseen: 0 | 1;
  stale: 0 | 1;
}

/** Facts that a question about all users reads first. */
export interface GlobalStatus extends Totals {
  behind: number | null;
  unseen: 0 | 1;
}

/** Sums of the interactions of a user. */
interface UserSums extends UserCounts {
  measured: number;
  /** Null if only a count of all rows can give the mean. */
  ms: number | null;
}

/**
 * Queries of the rollup and of the rows above the watermark. The caller holds a transaction around all of them except
 * `settled`.
 */
export interface Reading extends TrendReading {
  /** Prepared at the first use; the same applies to `ranges` and `keys`. */
  readonly overviews: OverviewReading;
  readonly ranges: RangeReading;
  readonly keys: KeyReading;
  /**
   * Statistics of a user if the rollup is complete: all rows are folded, and no folded row of this user was changed.
   * This is the usual case, and needs one statement without a transaction. Otherwise undefined.
   *
   * @param schemaVersion The version at which this reading was prepared. After a change of the schema the result is
   * undefined.
   */
  settled(userId: string, schemaVersion: number): UserStats | undefined;
  /** Undefined if the table of the rollup was emptied; the same applies to `lookAtAll`. */
  userStatus(userId: string): UserStatus | undefined;
  globalStatus(): GlobalStatus | undefined;
  /** Number of folded rows of a user. */
  foldedRows(userId: string): number;
  /**
   * Number of stale users plus number of their folded rows; counts at most `most` users, and as many rows of one whose
   * rows were not all folded.
   */
  staleWork(most: number): number;
  /** Statistics of a user who is not stale; undefined if only a count of all rows can give the mean. */
  user(userId: string): UserStats | undefined;
  /** Statistics from the folded sums, or, without them, from the rollup and the rows above the watermark. */
  global(folded?: Totals): GlobalStats;
  users(): string[];
  /** The same from the index of users, where this is faster than reading the rows above the watermark; or undefined. */
  usersByIndex(): string[] | undefined;
}

/** A search in an index takes as long as reading about as many rows. */
const ROWS_A_SEARCH = 10;

const BEHIND = "(SELECT max(id) FROM interactions) - watermark AS behind";
const UNSEEN = "EXISTS (SELECT 1 FROM interactions WHERE id = -1) AS unseen";

/**
 * Prepares the queries. Several simple statements are faster than one join, because SQLite plans a join with a
 * parameter again for each run.
 *
 * @param exactUpTo Number of interactions whose percentiles are exact.
 */
export function prepareReading(database: Database, levelColumn: LevelColumn, exactUpTo: number): Reading {
  const look = database.prepare(
    `SELECT ${BEHIND}, ${UNSEEN}, EXISTS (SELECT 1 FROM perdura_stale_users WHERE user_id = ?) AS stale FROM perdura_rollup`,
  ) as Statement<[string], UserStatus>;
  const lookAtAll = database.prepare(
    `SELECT ${BEHIND}, ${UNSEEN}, operations, successes, users FROM perdura_rollup`,
  ) as Statement<[], GlobalStatus>;
  const folded = database.prepare("SELECT operations FROM perdura_user_rollup WHERE user_id = ?").pluck() as Statement<
    [string],
    number
  >;
  const staleWork = database
    .prepare(
      `SELECT count(*) + coalesce(sum(rows), 0) FROM (SELECT iif(next_id IS NULL, coalesce(operations, @most), @most) AS rows
       FROM perdura_stale_users AS stale LEFT JOIN perdura_user_rollup AS known ON known.user_id = stale.user_id LIMIT @most)`,
    )
    .pluck() as Statement<[{ most: number }], number>;
  const schemaVersion = schemaVersionQuery(database);
  const settled = database.prepare(SETTLED) as Statement<[string, string, number], UserSums>;
  const knownWithTail = database.prepare(withTailQuery(levelColumn)) as Statement<[{ user: string }], UserSums>;
  const global = database.prepare(GLOBAL) as Statement<[], Totals>;
  const users = database.prepare(USERS).pluck() as Statement<[], string | null>;
  const usersByIndex = lazy(() => database.prepare(USERS_BY_INDEX).pluck() as typeof users);
  const isKnown = knownUser(database);
  const overviews = lazy(() => prepareOverviewReading(database, levelColumn));
  const ranges = lazy(() => prepareRangeReading(database, levelColumn));
  const keys = lazy(() => prepareKeyReading(database, exactUpTo));
  return {
    settled: (user, version) => {
      try {
        const sums = settled.get(user, user, version);
        return sums === undefined ? undefined : statsOf(sums);
      } catch (error) {
        // Another connection may have dropped the tables in the meantime.
        if (schemaVersion.get() === version) throw error;
        return undefined;
      }
    },
    userStatus: (user) => look.get(user),
    globalStatus: () => lookAtAll.get(),
    foldedRows: (user) => folded.get(user) ?? 0,
    staleWork: (most) => staleWork.get({ most }) as number,
    user: (user) => statsOf(knownWithTail.get({ user }) as UserSums),
    global: (sums = global.get() as Totals) => {
      const { operations, successes, users: total } = sums;
      return { total_users: total, total_interactions: operations, success_rate: rate(successes, operations) };
    },
    users: () => askableUsers(users.all(), isKnown),
    usersByIndex: () => {
      const { behind, users: known } = lookAtAll.get() ?? { behind: null, users: 0 };
      if ((behind ?? 0) < ROWS_A_SEARCH * Math.max(known, ROWS_A_SEARCH)) return undefined;
      // Without it, each search would read all rows.
      if (!hasIndexOfUsers(database)) return undefined;
      return askableUsers(usersByIndex().all(), isKnown);
    },
    ...prepareTrendReading(database, levelColumn),
    get overviews() {
      return overviews();
    },
    get ranges() {
      return ranges();
    },
    get keys() {
      return keys();
    },
  };
}

/** Undefined if only a count of all rows can give the mean. */
function statsOf(sums: UserSums): UserStats | undefined {
  const { ms, measured } = sums;
  return ms === null || !Number.isFinite(ms) ? undefined : userStats(sums, rate(ms, measured));
}
