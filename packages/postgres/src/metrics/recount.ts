import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { Connection, Session } from "../connection/connection.ts";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { type Names } from "../layout/names.ts";
import { mayUseSums } from "../layout/own_rows.ts";
import { resetSumsIfInvalid, type Tables } from "../layout/set_up.ts";
import { countUsers, type Recount, replaceTotals, wrongTotals, wrongUsers } from "../layout/compare_sums.ts";
import { recountShards } from "./fold_shards.ts";
import { foldLock, recountStaleUsers } from "../layout/fold_sums.ts";

/** Counts all rows and compares the sums with them. Changes nothing. */
export function compareSums(connection: Connection, { names, isDistributed }: Tables): Promise<Recount> {
  return connection.transaction("read", async (session) => {
    await assertSeesAll(session, names, connection.place);
    return isDistributed ? recountShards(session, names, false) : compare(session, names);
  });
}

/** Counts all rows, and corrects sums that differ from them. Other calls can record during this time. */
export async function recount(connection: Connection, names: Names): Promise<Recount> {
  const { distributed } = await resetSumsIfInvalid(connection, names);
  return connection.transaction("moment", async (session) => {
    await assertSeesAll(session, names, connection.place);
    if (distributed !== null) return recountShards(session, names, true);
    const lock = sqlText(foldLock(names));
    await session.query(`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
    const found = await compare(session, names);
    if (found.wrongUsers.length === 0 && !found.wrongTotals) return found;
    if (found.wrongUsers.length > 0) {
      await session.query(
        `INSERT INTO ${names.staleUsers} (user_id) SELECT user_id FROM unnest($1::text[]) AS wrong (user_id)
         ON CONFLICT DO NOTHING`,
        [found.wrongUsers],
      );
      for (const statement of recountStaleUsers(names)) await session.query(statement);
    }
    for (const statement of replaceTotals(names)) await session.query(statement);
    return found;
  });
}

/** @throws StorageError for a role that may not use the sums: for it, the sums of rows that it does not see are wrong. */
async function assertSeesAll(session: Session, names: Names, place: string): Promise<void> {
  const [role] = await session.query<{ may: boolean }>(
    `SELECT ${mayUseSums(names)} AS may, set_config('row_security', 'off', true)`,
  );
  if (role?.may !== true)
    throw new StorageError(
      "row-level security hides interactions from this role, or it may not read the tables of sums, so it cannot compare the sums with all rows. Use the owner of the tables, or a role with BYPASSRLS. Nothing was changed.",
      { path: place },
    );
}

async function isTrusted(session: Session, names: Names): Promise<boolean> {
  const rows = await session.query(`SELECT 1 FROM ${names.rollup} WHERE ${names.sumsValid}()`);
  return rows.length > 0;
}

/** Compares the sums of all users with their rows, except for users that are marked as stale. */
async function compare(session: Session, names: Names): Promise<Recount> {
  const [all] = await session.query<{ users: number }>(countUsers(names));
  const users = all?.users ?? 0;
  // Without valid sums, each question counts all rows, so nothing can be wrong.
  if (!(await isTrusted(session, names))) return { users, wrongUsers: [], wrongTotals: false };
  const wrong = await session.query<{ user_id: string }>(wrongUsers(names));
  const [ofAll] = await session.query<{ wrong: boolean }>(wrongTotals(names));
  return {
    users,
    wrongUsers: wrong.map(({ user_id }) => user_id),
    wrongTotals: ofAll?.wrong ?? false,
  };
}
