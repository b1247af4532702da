import type { Connection, Session } from "../connection/connection.ts";
import { type Names, quoteText } from "../layout/names.ts";
import { rederiveIfUntrusted } from "../layout/set_up.ts";
import { recountStaleUsers, foldLock } from "./fold.ts";
import { replaceDays, sumsOfAll, sumsOfDays, sumsOfUsers, TRUST_COLUMNS } from "./fold_sums.ts";
import { COUNTS, DAY_COUNTS } from "./sums.ts";

/** Result of a comparison of the sums with all rows. */
export interface Recount {
  /** Number of users with rows or sums. */
  users: number;
  /** Users whose statistics differed from their rows, ordered by code point. */
  wrongUsers: string[];
  /** True if the sums over all users were wrong. */
  wrongTotals: boolean;
}

/** Counts all rows and compares the sums with them. Changes nothing. */
export function compareSums(connection: Connection, names: Names): Promise<Recount> {
  return connection.transaction("read", (session) => compare(session, names));
}

/** Counts all rows, and corrects sums that differ from them. Other calls can record during this time. */
export async function recount(connection: Connection, names: Names): Promise<Recount> {
  await rederiveIfUntrusted(connection, names);
  return connection.transaction("moment", async (session) => {
    const lock = quoteText(foldLock(names));
    await session.query(`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
    const found = await compare(session, names);
    if (found.wrongUsers.length === 0 && !found.wrongTotals) return found;
    if (found.wrongUsers.length > 0) {
      await session.query(
        `INSERT INTO ${names.staleUsers} (user_id) SELECT user_id FROM unnest($1::text[]) AS wrong (user_id)
         ON CONFLICT DO NOTHING`,
        [found.wrongUsers],
      );
      await recountStaleUsers(session, names);
    }
    await session.query(
      `UPDATE ${names.rollup} SET operations = total.operations, successes = total.successes, users = total.users
       FROM (${totals(names)}) AS total`,
    );
    await replaceDays(session, names);
    return found;
  });
}

async function isTrusted(session: Session, names: Names): Promise<boolean> {
  const rows = await session.query(`SELECT 1 FROM ${names.rollup} WHERE ${names.sumsValid}()`);
  return rows.length > 0;
}

/** Compares the sums of all users with their rows, except for users that are marked as stale. */
async function compare(session: Session, names: Names): Promise<Recount> {
  const [all] = await session.query<{ users: number }>(
    `SELECT count(*) AS users FROM (
       SELECT user_id FROM ${names.interactions} UNION SELECT user_id FROM ${names.userRollup}) AS users`,
  );
  const users = all?.users ?? 0;
  // Without valid sums, each question counts all rows, so nothing can be wrong.
  if (!(await isTrusted(session, names))) return { users, wrongUsers: [], wrongTotals: false };
  const wrong = await session.query<{ user_id: string }>(
    `WITH days AS MATERIALIZED (
       ${sumsOfDays(names, `recorded_by < (SELECT watermark FROM ${names.rollup})`)}
     ), counted AS MATERIALIZED (
       ${sumsOfUsers(names, "days")}
     ), compared AS (
       SELECT user_id, ${EQUAL} AS equal FROM ${names.userRollup} AS known FULL JOIN counted USING (user_id)
       UNION ALL
       SELECT user_id, ${EQUAL_DAYS} AS equal
       FROM ${names.userDays} AS known FULL JOIN (SELECT * FROM days WHERE day IS NOT NULL) AS counted USING (user_id, day)
     )
     SELECT DISTINCT user_id FROM compared WHERE equal IS NOT TRUE
       AND user_id NOT IN (SELECT user_id FROM ${names.staleUsers}) ORDER BY user_id`,
  );
  const [totalsOfAll] = await session.query<{ wrong: boolean }>(
    `SELECT (rollup.operations, rollup.successes, rollup.users) IS DISTINCT FROM
       (total.operations, total.successes, total.users) OR EXISTS (${wrongDays(names)}) AS wrong
     FROM ${names.rollup} AS rollup, (${totals(names)}) AS total`,
  );
  return {
    users,
    wrongUsers: wrong.map(({ user_id }) => user_id),
    wrongTotals: totalsOfAll?.wrong ?? false,
  };
}

/** SQL for the sums over all users, computed from the sums of each user. */
function totals(names: Names): string {
  return `SELECT coalesce(sum(operations), 0)::bigint AS operations, coalesce(sum(successes), 0)::bigint AS successes,
    count(*) AS users FROM ${names.userRollup}`;
}

/** SQL for days whose sums over all users differ from the sums of each user. The bounds of ids may be too wide. */
function wrongDays(names: Names): string {
  const equal = [
    ...DAY_COUNTS.map((column) => `known.${column} IS NOT DISTINCT FROM total.${column}`),
    "known.first_id <= total.first_id",
    "known.last_id >= total.last_id",
  ];
  return `SELECT 1 FROM ${names.days} AS known
       FULL JOIN (${sumsOfAll(names.userDays, "ms")}) AS total USING (day) WHERE (${equal.join(" AND ")}) IS NOT TRUE`;
}

/**
 * SQL that is true if the sums of a user are equal to those of the rows. Sums of times may differ slightly, because
 * they depend on the order of addition.
 */
const EQUAL = [
  ...[...COUNTS.filter((column) => column !== "ms"), "newest", "current_level", "first_use", "last_use"].map(
    (column) => `known.${column} IS NOT DISTINCT FROM counted.${column}`,
  ),
  "abs(known.ms - counted.ms) <= 1e-6 * greatest(1, abs(known.ms), abs(counted.ms))",
].join(" AND ");

/** SQL that is true if the sums of a user on a day are equal to those of the rows. */
const EQUAL_DAYS = [
  ...DAY_COUNTS.map((column) => `known.${column} = counted.${column === "ms" ? "exact_ms" : column}`),
  ...TRUST_COLUMNS.map((column, index) => `known.${column} = counted.trust[${index + 1}]`),
  "known.first_id = counted.first_id",
  "known.last_id = counted.last_id",
].join(" AND ");
