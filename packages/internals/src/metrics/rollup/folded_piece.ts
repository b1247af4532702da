import type { Database, Statement } from "../../sqlite/open_database.ts";
import { isLevel } from "../aggregates.ts";
import type { LevelColumn } from "../schema.ts";
import { DAY } from "../trends/time_sql.ts";
import { areOrdered, COUNTS, DAY_COUNTS, daySumsOf, ROUNDED_AWAY, secondsOfDay, SUM, TIMES } from "./sums_sql.ts";
import { ADD_TRUST, addTrustFunctions, OUTCOMES, TRUST_COLUMNS, TRUST_OF_OUTCOMES } from "./trust_columns.ts";

/** Sums over all users, or the change of these sums. */
export interface Totals {
  operations: number;
  successes: number;
  users: number;
}

/**
 * Sums of the rows that are being folded, by user and day; the day is null for rows without a readable time. All tables
 * of the rollup are updated from it, so that each row is read and sorted once. The days of a user are in order. Columns
 * without a type store values unchanged.
 */
const TABLE = `CREATE TEMP TABLE IF NOT EXISTS perdura_piece (
    user_id TEXT, day TEXT, ${DAY_COUNTS.map((count) => `${count} INTEGER`).join(", ")}, ms REAL, ms_lost REAL,
    first_id INTEGER, last_id INTEGER, newest INTEGER, is_usual INTEGER, first_use, last_use, outcomes TEXT)`;

/** Adds rows to all sums of the rollup, and returns what they add to the sums over all users. */
export type Add = (...parameters: readonly object[]) => Totals;

/** @returns A function that prepares to add the rows for which SQL is true. */
export function prepareAdding(database: Database, levelColumn: LevelColumn): (where: string) => Add {
  addTrustFunctions(database);
  database.exec(TABLE);
  const clear = database.prepare("DELETE FROM temp.perdura_piece");
  const totals = database.prepare(TOTALS) as Statement<[], Totals>;
  const additions = [addToUsers(levelColumn), ADD_TO_USER_DAYS, ADD_TO_DAYS].map((sql) => database.prepare(sql));
  return (where) => {
    const fill = database.prepare(
      `INSERT INTO temp.perdura_piece
       SELECT user_id, ${DAY} AS day, ${daySumsOf(levelColumn)}, max(CASE WHEN ${isLevel(levelColumn)} THEN id END),
         ${TIMES}, ${OUTCOMES}
       FROM interactions WHERE ${where} GROUP BY user_id, 2 ORDER BY user_id, 2`,
    );
    return (...parameters) => {
      clear.run();
      fill.run(...parameters);
      const added = totals.get() as Totals;
      for (const addition of additions) addition.run();
      return added;
    };
  };
}

const TOTALS = `SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes,
    count(DISTINCT CASE WHEN NOT EXISTS (SELECT 1 FROM perdura_user_rollup AS known WHERE known.user_id = piece.user_id)
      THEN user_id END) AS users
  FROM temp.perdura_piece AS piece`;

/** The longest gap between the days of a user in the piece: no search is needed if the days have none. */
const LONGEST_GAP = `CASE WHEN last_day - first_day < days THEN last_day > first_day
      ELSE (SELECT max(unixepoch(day) - (SELECT unixepoch(day) FROM temp.perdura_piece AS previous WHERE previous.rowid = next.rowid - 1)) / 86400
        FROM temp.perdura_piece AS next WHERE next.rowid > first_row AND next.rowid <= last_row) END`;

/**
 * Adds sums to those of users. If two times are equal but spelled differently, that of the older row is kept, as in a
 * count of all rows.
 */
function addToUsers(levelColumn: LevelColumn): string {
  const counts = COUNTS.join(", ");
  return `INSERT INTO perdura_user_rollup (user_id, ${counts}, ms, ms_lost, current_level, first_use, last_use,
      first_day, last_day, longest_gap)
    SELECT user_id, ${counts}, ms, 0.0, (SELECT ${levelColumn} FROM interactions WHERE id = newest), first_use, last_use,
      first_day, last_day, coalesce(${LONGEST_GAP}, 0)
    FROM (SELECT user_id, ${COUNTS.map((count) => `sum(${count}) AS ${count}`).join(", ")},
        CASE WHEN sum(negative) = 0 THEN total(ms) END AS ms, max(newest) AS newest,
        min(first_use) AS first_use, max(last_use) AS last_use,
        unixepoch(min(day)) / 86400 AS first_day, unixepoch(max(day)) / 86400 AS last_day, count(day) AS days,
        min(rowid) AS first_row, max(rowid) AS last_row
      FROM temp.perdura_piece GROUP BY user_id) AS piece WHERE true
    ON CONFLICT (user_id) DO UPDATE SET
      ${COUNTS.map((count) => `${count} = ${count} + excluded.${count}`).join(", ")},
      ms = ${SUM}, ms_lost = ms_lost + ${ROUNDED_AWAY},
      current_level = coalesce(excluded.current_level, current_level),
      first_use = coalesce(min(excluded.first_use, first_use), excluded.first_use, first_use),
      last_use = coalesce(max(last_use, excluded.last_use), excluded.last_use, last_use),
      first_day = coalesce(min(first_day, excluded.first_day), excluded.first_day, first_day),
      last_day = coalesce(max(last_day, excluded.last_day), excluded.last_day, last_day),
      longest_gap = max(longest_gap, excluded.longest_gap, coalesce(excluded.first_day - last_day, 0),
        coalesce(first_day - excluded.last_day, 0))`;
}

const DAY_COLUMNS = [...DAY_COUNTS, "ms", "ms_lost", "first_id", "last_id"].join(", ");

const ADD_TO_DAY = `${DAY_COUNTS.map((count) => `${count} = ${count} + excluded.${count}`).join(", ")},
  ms = ${SUM}, ms_lost = ms_lost + excluded.ms_lost + ${ROUNDED_AWAY},
  first_id = min(first_id, excluded.first_id), last_id = max(last_id, excluded.last_id)`;

const ADD_TO_USER_DAYS = `INSERT INTO perdura_user_days (user_id, day, ${DAY_COLUMNS}, ${TRUST_COLUMNS.join(", ")},
    first_second, last_second)
  SELECT user_id, day, ${DAY_COLUMNS}, ${TRUST_OF_OUTCOMES}, ${secondsOfDay(areOrdered("day"))} FROM temp.perdura_piece WHERE day IS NOT NULL
  ON CONFLICT (user_id, day) DO UPDATE SET ${ADD_TO_DAY}, ${ADD_TRUST},
    first_second = min(first_second, excluded.first_second), last_second = max(last_second, excluded.last_second)`;

const ADD_TO_DAYS = `INSERT INTO perdura_days (day, ${DAY_COLUMNS})
  SELECT day, ${DAY_COUNTS.map((count) => `sum(${count})`).join(", ")}, total(ms), 0.0, min(first_id), max(last_id)
  FROM temp.perdura_piece WHERE day IS NOT NULL GROUP BY day
  ON CONFLICT (day) DO UPDATE SET ${ADD_TO_DAY}`;

/**
 * @param users SQL for users.
 * @returns A function that removes the sums of the users, and returns what it removed from the sums over all users.
 */
export function prepareRemoving(database: Database, users: string): () => Totals {
  const totals = database.prepare(
    `SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes, count(*) AS users
     FROM perdura_user_rollup WHERE user_id IN ${users}`,
  ) as Statement<[], Totals>;
  const removals = [
    subtractFromDays(users),
    `DELETE FROM perdura_user_rollup WHERE user_id IN ${users}`,
    `DELETE FROM perdura_user_days WHERE user_id IN ${users}`,
    "DELETE FROM perdura_days WHERE operations = 0",
  ].map((sql) => database.prepare(sql));
  const isUnknown = database.prepare("SELECT 1 FROM perdura_days WHERE ms IS NULL LIMIT 1");
  // Reads the days of all users.
  const repair = database.prepare(REPAIR_DAYS);
  return () => {
    const removed = totals.get() as Totals;
    for (const removal of removals) removal.run();
    if (isUnknown.get() !== undefined) repair.run();
    return removed;
  };
}

/**
 * Subtracts the sums of users from those of days. If almost nothing remains of the times, rounding errors of the removed
 * ones may be larger than it: the sum becomes null, and {@link REPAIR_DAYS} computes it again.
 */
function subtractFromDays(users: string): string {
  const rest = "(perdura_days.ms - old.ms)";
  const lost = `((perdura_days.ms - (${rest} - (${rest} - perdura_days.ms))) + (-old.ms - (${rest} - perdura_days.ms)))`;
  return `UPDATE perdura_days SET
    ${DAY_COUNTS.map((count) => `${count} = perdura_days.${count} - old.${count}`).join(", ")},
    ms = CASE WHEN abs(old.ms) <= 100 * abs(${rest}) THEN ${rest} END,
    ms_lost = perdura_days.ms_lost - old.ms_lost + ${lost}
    FROM (SELECT day, ${DAY_COUNTS.map((count) => `sum(${count}) AS ${count}`).join(", ")}, total(ms) AS ms, total(ms_lost) AS ms_lost
      FROM perdura_user_days WHERE user_id IN ${users} GROUP BY day) AS old WHERE old.day = perdura_days.day`;
}

const REPAIR_DAYS = `UPDATE perdura_days SET ms = known.ms, ms_lost = 0.0
  FROM (SELECT day, CASE WHEN count(ms + ms_lost) = count(*) THEN total(ms + ms_lost) END AS ms FROM perdura_user_days
    WHERE day IN (SELECT day FROM perdura_days WHERE ms IS NULL) GROUP BY day) AS known
  WHERE known.day = perdura_days.day AND perdura_days.ms IS NULL`;
