import type { Database } from "../../sqlite/open_database.ts";
import type { LevelColumn } from "../schema.ts";
import { conditionOf, schemaVersionQuery } from "./condition.ts";
import { COUNTS, sumsOf } from "./fold.ts";

/** Relative difference that is allowed between two means: sums of pieces are rounded differently than one long sum. */
export const MEAN_TOLERANCE = 1e-12;

/** Result of a comparison of a rollup with the rows. */
export interface RollupAudit {
  /** Users whose sums were compared. */
  users: number;
  /** Differences, one sentence each. */
  differences: string[];
}

/**
 * Compares the whole rollup with the interactions. Reads every row once.
 *
 * @returns Undefined for a database whose statistics do not come from a rollup.
 */
export function auditRollup(database: Database, levelColumn: LevelColumn): RollupAudit | undefined {
  return database.transaction(() => {
    if (conditionOf(database, schemaVersionQuery(database).get() as number) !== "ready") return undefined;
    // The triggers cannot see a row with this id (see `objects.ts`), so all statistics come from the rows.
    if (database.prepare("SELECT 1 FROM interactions WHERE id = -1").get() !== undefined) return undefined;
    const wrong = database.prepare(wrongUsers(levelColumn)).pluck().all() as string[];
    const totals = database.prepare(TOTALS).raw().get() as number[];
    const [users = 0, ...pairs] = totals;
    return {
      users,
      differences: [
        ...wrong.slice(0, SHOWN).map((user) => `the totals of the user ${JSON.stringify(user)} differ from the rows`),
        ...(wrong.length > SHOWN ? [`the totals of ${wrong.length - SHOWN} more users differ`] : []),
        ...["rows", "successes", "users"].flatMap((what, index) => {
          const [kept, summed] = [pairs[2 * index], pairs[2 * index + 1]];
          return kept === summed
            ? []
            : [`the total of all users has ${kept} ${what}, the users together have ${summed}`];
        }),
      ],
    };
  })();
}

/** Maximum number of users that are named. */
const SHOWN = 10;

const STALE = "SELECT user_id FROM perdura_stale_users";

/** All sums of a user must be equal, except that a mean may be rounded differently. */
function wrongUsers(levelColumn: LevelColumn): string {
  const same = [...COUNTS, "current_level", "first_use", "last_use"].map((name) => `kept.${name} IS rows.${name}`);
  const mean = `(kept.ms IS NULL AND rows.ms IS NULL OR abs(kept.ms + kept.ms_lost - rows.ms) <= ${MEAN_TOLERANCE} * rows.ms
    OR kept.ms + kept.ms_lost IS rows.ms)`;
  return `WITH rows AS MATERIALIZED (
      SELECT *, (SELECT ${levelColumn} FROM interactions WHERE id = newest) AS current_level
      FROM (SELECT user_id, ${sumsOf(levelColumn)} FROM interactions
        WHERE id <= (SELECT watermark FROM perdura_rollup) AND user_id NOT IN (${STALE}) GROUP BY user_id)
    )
    SELECT CAST(rows.user_id AS TEXT) FROM rows LEFT JOIN perdura_user_rollup AS kept ON kept.user_id = rows.user_id
      WHERE kept.user_id IS NULL OR NOT (${[...same, mean].join(" AND ")})
    UNION ALL SELECT CAST(user_id AS TEXT) FROM perdura_user_rollup
      WHERE user_id NOT IN (${STALE}) AND user_id NOT IN (SELECT user_id FROM rows)
    ORDER BY 1`;
}

const TOTALS = `SELECT users.users, state.operations, users.operations, state.successes, users.successes, state.users, users.users
  FROM perdura_rollup AS state, (SELECT count(*) AS users, coalesce(sum(operations), 0) AS operations,
    coalesce(sum(successes), 0) AS successes FROM perdura_user_rollup) AS users`;
