import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { Connection, Session } from "../connection/connection.ts";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { keySumsIn, mayAskKeys } from "../layout/declare_keys.ts";
import type { KeySums } from "../layout/key_sums.ts";
import { type Names } from "../layout/names.ts";
import { mayUseSums } from "../layout/own_rows.ts";
import { resetSumsIfInvalid, type Tables } from "../layout/set_up.ts";
import { countUsers, type Recount, replaceTotals, wrongTotals, wrongUsers } from "../layout/compare_sums.ts";
import { recountShards } from "./fold_shards.ts";
import { foldLock, recountStaleUsers } from "../layout/fold_sums.ts";

/** Counts all rows and compares the sums with them. Changes nothing. */
export function compareSums(connection: Connection, tables: Tables): Promise<Recount> {
  const { names, isDistributed } = tables;
  return connection.transaction("read", async (session) => {
    await assertSeesAll(session, names, connection.place);
    return isDistributed ? recountShards(session, names, false) : (await compare(session, tables)).found;
  });
}

/** Counts all rows, and corrects sums that differ from them. Other calls can record during this time. */
export async function recount(connection: Connection, names: Names): Promise<Recount> {
  const tables = await resetSumsIfInvalid(connection, names);
  return connection.transaction("moment", async (session) => {
    await assertSeesAll(session, names, connection.place);
    if (tables.isDistributed) return recountShards(session, names, true);
    const lock = sqlText(foldLock(names));
    await session.query(`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
    const { found, keys } = await compare(session, tables);
    if (found.wrongUsers.length === 0 && !found.wrongTotals) return found;
    if (found.wrongUsers.length > 0) {
      await session.query(
        `INSERT INTO ${names.staleUsers} (user_id) SELECT user_id FROM unnest($1::text[]) AS wrong (user_id)
         ON CONFLICT DO NOTHING`,
        [found.wrongUsers],
      );
      for (const statement of recountStaleUsers(names, keys)) await session.query(statement);
    }
    for (const statement of replaceTotals(names, keys)) await session.query(statement);
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
async function compare(session: Session, tables: Tables): Promise<{ found: Recount; keys: KeySums | undefined }> {
  const { names } = tables;
  const keys = await keySumsIn(session, tables);
  const [all] = await session.query<{ users: number }>(countUsers(names));
  const users = all?.users ?? 0;
  // Without valid sums, each question counts all rows, so nothing can be wrong.
  if (!(await isTrusted(session, names))) return { found: { users, wrongUsers: [], wrongTotals: false }, keys };
  const compared = (await mayAskKeys(session, names)) ? keys : undefined;
  const wrong = await session.query<{ user_id: string }>(wrongUsers(names, compared));
  const [ofAll] = await session.query<{ wrong: boolean }>(wrongTotals(names, compared));
  const found = { users, wrongUsers: wrong.map(({ user_id }) => user_id), wrongTotals: ofAll?.wrong ?? false };
  return { found, keys };
}
