import type { Database, Statement } from "../../sqlite/open_database.ts";
import { MEASURED } from "../aggregates.ts";
import type { ListedUser, Overview } from "../overview_stats.ts";
import type { LevelColumn } from "../schema.ts";
import type { GlobalStats } from "../stats.ts";
import { periodOfDay } from "../trends/time_sql.ts";
import type { Bucket, TrendPeriod } from "../trends/trend.ts";
import { RowSums } from "./row_sums.ts";
import { daysOfTimestamps } from "./timestamp_days.ts";

/** Answers about all users, from rows that were read once. */
export interface ScannedRows {
  overview(): Overview;
  /** Users with the most interactions first, users with equal numbers in the order of code points. */
  topUsers(limit: number): ListedUser[];
  global(): GlobalStats;
  globalTrend(bucket: Exclude<Bucket, "hour">): TrendPeriod[];
}

/** Rows that were read so far. */
export interface ScanProgress {
  done: number;
  total: number;
}

/** Users whose sums are kept in memory, about half a kilobyte each. */
const MOST_USERS = 500_000;

/** Rows that are read at a time: many enough for the cost of a query, few enough to stay in the processor's cache. */
const PIECE = 5000;

const LOWEST = -(2n ** 63n);

/**
 * Reads all rows once, in the order of their ids, in pieces of a few milliseconds between which the caller can continue
 * with other work. This takes a fifth of the time that SQL takes to group the rows for each question. The caller holds a
 * transaction.
 *
 * @param database `interactions` has an index on its ids.
 * @returns Undefined for user ids that only SQLite can compare (text that is not UTF-8, blobs, numbers), and for very many
 *   users.
 */
export function* scanRows(
  database: Database,
  levelColumn: LevelColumn,
  mostUsers: number = MOST_USERS,
): Generator<ScanProgress, ScannedRows | undefined> {
  const total = database.prepare("SELECT count(*) FROM interactions").pluck().get() as number;
  const pieceEnd = database
    .prepare(`SELECT max(id) FROM (SELECT id FROM interactions WHERE id >= ? ORDER BY id LIMIT ${PIECE})`)
    .pluck()
    // Ids may be any 64-bit integer.
    .safeIntegers() as Statement<[bigint], bigint | null>;
  const piece = database
    .prepare(
      `SELECT user_id, CASE ${levelColumn} WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 WHEN 4 THEN 4 WHEN 5 THEN 5 ELSE 0 END
           + CASE typeof(${levelColumn}) WHEN 'integer' THEN 10 ELSE 0 END,
         CASE WHEN success THEN 1 ELSE 0 END, CASE WHEN ${MEASURED} THEN response_time_ms * 1.0 END, timestamp
       FROM interactions WHERE id BETWEEN ? AND ? ORDER BY id`,
    )
    .raw() as unknown as Statement<[bigint, bigint], FoundRow>;
  const scan = new Scan(database);
  for (let [from, done] = [LOWEST, 0]; ;) {
    const end = pieceEnd.get(from) ?? null;
    if (end === null) return scan.answers();
    const rows = piece.all(from, end);
    for (const row of rows) if (!scan.add(row)) return undefined;
    if (scan.users > mostUsers) return undefined;
    yield { done: (done += rows.length), total };
    if (end === 2n ** 63n - 1n) return scan.answers();
    from = end + 1n;
  }
}

type FoundRow = [user: unknown, level: number, success: 0 | 1, ms: number | null, timestamp: unknown];

/** The rows of a user. */
interface ScannedUser {
  id: string;
  sums: RowSums;
  /** The newest valid level. */
  level: number | null;
  /** Undefined if SQLite has to compare the timestamps. */
  times: { first: string | null; last: string | null } | undefined;
}

class Scan {
  readonly #database: Database;
  readonly #dayOf: (timestamp: unknown) => string | null;
  readonly #all = new RowSums();
  readonly #users = new Map<string, ScannedUser>();
  readonly #days = new Map<string, RowSums>();
  #withoutTime = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#dayOf = daysOfTimestamps(database);
  }

  get users(): number {
    return this.#users.size;
  }

  /** @returns False for a row that only SQLite can count. */
  add([user, kindOfLevel, succeeded, ms, timestamp]: FoundRow): boolean {
    const level = kindOfLevel % 10;
    const success = succeeded === 1;
    this.#all.add(level, success, ms);
    const day = this.#dayOf(timestamp);
    if (day === null) this.#withoutTime += 1;
    else this.#sumsOf(day).add(level, success, ms);
    if (user === null) return true;
    // The driver replaces what is not UTF-8.
    if (typeof user !== "string" || user.includes("\ufffd")) return false;
    const found = this.#userOf(user);
    found.sums.add(level, success, ms);
    if (kindOfLevel > 10) found.level = level;
    if (timestamp !== null) note(found, timestamp);
    return true;
  }

  #sumsOf(day: string): RowSums {
    let sums = this.#days.get(day);
    if (sums === undefined) this.#days.set(day, (sums = new RowSums()));
    return sums;
  }

  #userOf(id: string): ScannedUser {
    let user = this.#users.get(id);
    if (user === undefined) {
      user = { id, sums: new RowSums(), level: null, times: { first: null, last: null } };
      this.#users.set(id, user);
    }
    return user;
  }

  answers(): ScannedRows {
    const all = this.#all;
    const timesOf = (where: string, ...given: string[]): { first_use: string | null; last_use: string | null } =>
      this.#database
        .prepare(
          `SELECT CAST(min(timestamp) AS TEXT) AS first_use, CAST(max(timestamp) AS TEXT) AS last_use FROM interactions ${where}`,
        )
        .get(...given) as ReturnType<typeof timesOf>;
    const periods = this.#database.prepare(
      `SELECT ${periodOfDay("week", "day")} AS week, ${periodOfDay("month", "day")} AS month FROM (SELECT ? AS day)`,
    ) as Statement<[string], { week: string; month: string }>;
    return {
      overview: () => ({
        users: this.#users.size,
        operations: all.operations,
        success_rate: all.successRate,
        avg_response_time_ms: all.meanResponseTime,
        ...all.levelCounts,
        without_time: this.#withoutTime,
        ...timesOf(""),
      }),
      topUsers: (limit) =>
        first([...this.#users.values()], limit).map(({ id, sums, level, times }) => ({
          user_id: id,
          total_operations: sums.operations,
          success_rate: sums.successRate,
          avg_response_time_ms: sums.meanResponseTime,
          ...sums.levelCounts,
          ...(level === null ? {} : { current_level: level }),
          ...(times === undefined
            ? timesOf("WHERE user_id = ?", id)
            : { first_use: times.first, last_use: times.last }),
        })),
      global: () => ({
        total_users: this.#users.size,
        total_interactions: all.operations,
        success_rate: all.successRate,
      }),
      globalTrend: (bucket) => {
        const found = new Map<string, RowSums>();
        for (const [day, sums] of this.#days) {
          const period = bucket === "day" ? day : (periods.get(day) as { week: string; month: string })[bucket];
          const known = found.get(period);
          if (known === undefined) found.set(period, sums.copy());
          else known.join(sums);
        }
        return [...found]
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([period, sums]) => ({
            period,
            total_operations: sums.operations,
            success_rate: sums.successRate,
            avg_response_time_ms: sums.meanResponseTime,
            ...sums.levelCounts,
          }));
      },
    };
  }
}

/** Notes a time of a user if it is before or after all others. */
function note(user: ScannedUser, timestamp: unknown): void {
  const { times } = user;
  if (times === undefined) return;
  // Only text is compared as SQLite compares it, and only where no character consists of two units.
  if (typeof timestamp !== "string" || !isPlain(timestamp)) user.times = undefined;
  else {
    if (times.first === null || timestamp < times.first) times.first = timestamp;
    if (times.last === null || timestamp > times.last) times.last = timestamp;
  }
}

const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

/** The users with most interactions. */
function first(users: ScannedUser[], limit: number): ScannedUser[] {
  const byCodePoints = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
  return users
    .toSorted((one, other) => other.sums.operations - one.sums.operations || byCodePoints(one.id, other.id))
    .slice(0, limit);
}
