import type { Database, Statement } from "../../sqlite/open_database.ts";
import { conditionOf, schemaVersionQuery } from "./condition.ts";

/** SQL for the chosen users. */
export const WHOLE_USERS = "(SELECT user_id FROM temp.perdura_whole_users)";

/** Chooses stale users whose sums are computed in one piece. */
export interface WholeUsers {
  /**
   * Chooses the first users that have fewer than `rows` rows together, or else the first one.
   *
   * @returns False for one user that may have more rows.
   */
  choose(rows: number): boolean;
  /** The chosen users are not stale any more. */
  unmark(): void;
}

export function prepareWholeUsers(database: Database): WholeUsers {
  database.exec("CREATE TEMP TABLE IF NOT EXISTS perdura_whole_users (user_id TEXT PRIMARY KEY) WITHOUT ROWID");
  const clear = database.prepare("DELETE FROM temp.perdura_whole_users");
  // The user with the first row that is too many.
  const other = `(SELECT stale.user_id FROM perdura_stale_users AS stale CROSS JOIN interactions ON interactions.user_id = stale.user_id
      WHERE stale.next_id IS NULL ORDER BY stale.user_id LIMIT 1 OFFSET max(0, @rows - 1))`;
  const several = database.prepare(
    `INSERT INTO temp.perdura_whole_users SELECT user_id FROM perdura_stale_users
     WHERE next_id IS NULL AND (user_id < ${other} OR ${other} IS NULL) ORDER BY user_id LIMIT @rows`,
  ) as Statement<[{ rows: number }]>;
  const first = database.prepare("INSERT INTO temp.perdura_whole_users SELECT min(user_id) FROM perdura_stale_users");
  const unmark = database.prepare(`DELETE FROM perdura_stale_users WHERE user_id IN ${WHOLE_USERS}`);
  return {
    choose: (rows) => {
      clear.run();
      if (rows > 0 && several.run({ rows }).changes > 0) return true;
      first.run();
      return false;
    },
    unmark: () => void unmark.run(),
  };
}

/** Number of users that are marked at once: it takes about a twentieth of a second. */
const MOST_USERS = 20_000;

/** Marks all users as stale, and no row as new, if there are so many. The caller holds a write transaction. */
export function markAllUsers(database: Database, fewest: number): void {
  if (!hasIndexOfUsers(database)) return;
  const each = `WITH RECURSIVE found (user_id) AS (SELECT min(user_id) FROM interactions UNION ALL
      SELECT (SELECT min(user_id) FROM interactions WHERE user_id > found.user_id) FROM found WHERE user_id IS NOT NULL)`;
  const count = `${each} SELECT count(*) FROM (SELECT 1 FROM found WHERE user_id IS NOT NULL LIMIT ${MOST_USERS + 1})`;
  const users = database.prepare(count).pluck().get() as number;
  if (users < fewest || users > MOST_USERS) return;
  database.exec(`UPDATE perdura_stale_users SET next_id = NULL;
    INSERT INTO perdura_stale_users ${each} SELECT user_id, NULL FROM found
      WHERE user_id IS NOT NULL AND user_id NOT IN (SELECT user_id FROM perdura_stale_users);
    UPDATE perdura_rollup SET watermark = (SELECT max(id) FROM interactions)`);
}

/** True if an index finds the rows of a user, and the next user. */
export function hasIndexOfUsers(database: Database): boolean {
  const index = `SELECT 1 FROM pragma_index_list('interactions', 'main') AS list, pragma_index_xinfo(list.name, 'main') AS part
    WHERE NOT list.partial AND part.seqno = 0 AND part.name = 'user_id' COLLATE NOCASE AND part.coll = 'BINARY' COLLATE NOCASE`;
  return database.prepare(index).get() !== undefined;
}

/** True if the sums have fewer rows than there are new ones. The caller holds a transaction. */
export function isMostlyNew(database: Database): boolean {
  if (conditionOf(database, schemaVersionQuery(database).get() as number) !== "ready") return true;
  const mostly = database
    .prepare(
      `SELECT operations < (SELECT count(*) FROM (SELECT 1 FROM interactions WHERE id > (SELECT watermark FROM perdura_rollup)
         LIMIT (SELECT operations + 1 FROM perdura_rollup))) FROM perdura_rollup`,
    )
    .pluck();
  return mostly.get() === 1;
}
