import { LEVELS } from "@perdura/internals/metrics/arguments.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Names } from "./names.ts";
import { recordedBy } from "./recorded_by.ts";

/** Sums of a day: see {@link daysTables}. */
const DAY_SUMS = `operations bigint NOT NULL,
      successes bigint NOT NULL,
      measured bigint NOT NULL,
      ms numeric NOT NULL,
      ${LEVELS.map((level) => `level_${level}_count bigint NOT NULL,`).join("\n      ")}
      first_id bigint NOT NULL,
      last_id bigint NOT NULL`;

export const tablesOfSums = ({ rollup, userRollup, userDays, days, staleUsers }: Names): string[] => [
  rollup,
  userRollup,
  userDays,
  days,
  staleUsers,
];

/** Sums of the rows below the watermark: of each user, and of all users in the only row of `perdura_rollup`. */
export function sumsTables(names: Names): string[] {
  return [
    // The key is needed for publications of all tables, which reject changes of a table without one.
    `CREATE TABLE ${names.rollup} (
      table_id bigint PRIMARY KEY,
      watermark bigint NOT NULL,
      operations bigint NOT NULL,
      successes bigint NOT NULL,
      users bigint NOT NULL
    )`,
    `CREATE TABLE ${names.userRollup} (
      user_id text COLLATE "C" PRIMARY KEY,
      operations bigint NOT NULL,
      successes bigint NOT NULL,
      measured bigint NOT NULL,
      ms double precision NOT NULL,
      beyond bigint NOT NULL,
      ${LEVELS.map((level) => `level_${level}_count bigint NOT NULL,`).join("\n      ")}
      newest bigint,
      current_level integer,
      first_use text COLLATE "C",
      last_use text COLLATE "C"
    )`,
    // Each transaction adds its own mark, because the mark of another transaction may be removed before this one ends.
    `CREATE TABLE ${names.staleUsers} (
      user_id text COLLATE "C" NOT NULL,
      marked_by bigint NOT NULL DEFAULT ${recordedBy(names)},
      PRIMARY KEY (user_id, marked_by)
    )`,
    ...daysTables(names),
  ];
}

/**
 * Sums of the rows below the watermark by day, UTC: of each user, and of all users. Rows without a readable time are not
 * included. No included row of a day has an id below `first_id` or above `last_id`. Trust x before the rows of the day
 * becomes least(trust_high, greatest(trust_low, x + trust_add)), in hundredths, with the default figures.
 */
function daysTables(names: Names): string[] {
  return [
    `CREATE TABLE ${names.userDays} (
      user_id text COLLATE "C" NOT NULL,
      day text COLLATE "C" NOT NULL,
      ${DAY_SUMS},
      trust_add bigint NOT NULL,
      trust_low integer NOT NULL,
      trust_high integer NOT NULL,
      PRIMARY KEY (user_id, day)
    )`,
    `CREATE TABLE ${names.days} (
      day text COLLATE "C" PRIMARY KEY,
      ${DAY_SUMS}
    )`,
  ];
}

/** SQL for the state in which no row has been added. */
export function firstState(names: Names): string[] {
  return [
    ...tablesOfSums(names).map((table) => `DELETE FROM ${table}`),
    `INSERT INTO ${names.rollup} VALUES (${tableId(names)}, 0, 0, 0, 0)`,
  ];
}

/**
 * SQL for a number that identifies the table `interactions` in this cluster. It shows if sums came from a dump: a
 * restored table has another number, even in the same cluster. On a standby the number is the same.
 */
export function tableId(names: Names): string {
  return `(SELECT hashtextextended(system_identifier || '.' || ${sqlText(names.interactions)}::regclass::oid, 0)
      FROM pg_control_system())`;
}
