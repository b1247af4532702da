import { type DeclaredKeys, NO_KEYS } from "@perdura/internals/metrics/keys/declared_keys.js";
import type { Connection, Session } from "../connection/connection.ts";
import { isBusy, isRolledBack } from "../connection/failures.ts";
import { declaredKeys } from "../layout/declare_keys.ts";
import { mayRead } from "../layout/own_rows.ts";
import { asPattern, type Names, namesOfShard } from "../layout/names.ts";
import { declaredText, sumsOfShard } from "../layout/shard_sums.ts";
import { areShardsFilled, fillShards, shardOf } from "../layout/shards.ts";
import { lockSetUp } from "../layout/set_up.ts";
import type { Recount } from "../layout/compare_sums.ts";

/**
 * Updates the sums of the shards on their servers, and makes those that are missing: of a new shard, or of one that was
 * moved.
 *
 * @param userId Undefined for all shards; otherwise only the shard of this user.
 */
export async function foldShards(
  connection: Connection,
  names: Names,
  rowsAtOnce: number,
  userId?: string,
): Promise<void> {
  await fillIfNeeded(connection, names);
  const declared = await declaredHere(connection, names);
  const fold = asPattern(namesOfShard(names.schemaName).fold);
  const [condition, user] =
    userId === undefined ? ["", []] : [` WHERE ${shardOf(names, "user_id")} = ${shardOf(names, "$4::text")}`, [userId]];
  const foldOnce = (): Promise<{ key: string; more: boolean | null }[]> =>
    connection.transaction("moment", (session) =>
      session.query(
        `SELECT user_id AS key, (${names.atShard}(user_id, $1, ARRAY[$2, $3::text]) -> 'rows' ->> 0)::boolean AS more
         FROM ${names.shards}${condition}`,
        [fold, String(rowsAtOnce), declared && declaredText(declared), ...user],
      ),
    );
  let folded = await foldOnce();
  const without = folded.filter(({ more }) => more === null);
  if (without.length > 0) {
    for (const { key } of without) await makeSums(connection, names, key, declared ?? NO_KEYS);
    // From every shard, so that every server is reached.
    await connection.transaction("write", (session) =>
      session.query(`SELECT ${names.dropLeftSums}(user_id) FROM ${names.shards}`),
    );
    folded = await foldOnce();
  }
  while (folded.some(({ more }) => more)) folded = await foldOnce();
}

/** The keys that every shard should have sums of; null if this role may not read them. */
async function declaredHere(session: Session, names: Names): Promise<DeclaredKeys | null> {
  const declared = await declaredKeys(session, names);
  if (declared.keys.length > 0) return declared;
  const [hidden] = await session.query<{ hidden: boolean }>(`SELECT NOT ${mayRead([names.declaredKeys])} AS hidden`);
  return hidden?.hidden === true ? null : NO_KEYS;
}

/** Compares the sums of all shards with the rows. */
export async function recountShards(session: Session, names: Names, corrects: boolean): Promise<Recount> {
  const [found] = await session.query<{ wrong: string; wrongTotals: boolean }>(
    `SELECT coalesce(json_agg(user_id ORDER BY user_id COLLATE "C") FILTER (WHERE user_id IS NOT NULL), '[]')::text AS wrong,
       coalesce(bool_or(wrong_totals), false) AS "wrongTotals"
     FROM (SELECT ${names.atShard}(user_id, $1, ARRAY[$2]) AS answer FROM ${names.shards} OFFSET 0) AS asked,
       json_to_recordset(CASE WHEN answer ->> 'rows' IS NULL THEN '[]' ELSE answer -> 'rows' END)
         AS found (wrong_users text[], wrong_totals boolean)
         LEFT JOIN LATERAL unnest(wrong_users) AS user_id ON true`,
    [asPattern(namesOfShard(names.schemaName).recount), String(corrects)],
  );
  const [all] = await session.query<{ users: number }>(
    `SELECT count(DISTINCT user_id) AS users FROM ${names.interactions}`,
  );
  return {
    users: all?.users ?? 0,
    wrongUsers: JSON.parse(found?.wrong ?? "[]") as string[],
    wrongTotals: found?.wrongTotals ?? false,
  };
}

/** Puts a row into each shard after shards were split. */
async function fillIfNeeded(connection: Connection, names: Names): Promise<void> {
  const isFilled = async (session: Session): Promise<boolean> =>
    (await session.query<{ filled: boolean }>(`SELECT ${areShardsFilled(names)} AS filled`))[0]?.filled === true;
  if (await isFilled(connection)) return;
  await connection.transaction("write", async (session) => {
    await lockSetUp(session, names);
    if (!(await isFilled(session))) for (const statement of fillShards(names)) await session.query(statement);
  });
}

/** In a transaction for each shard, so that programs that record into several shards do not wait for each other. */
async function makeSums(connection: Connection, names: Names, key: string, declared: DeclaredKeys): Promise<void> {
  try {
    await connection.transaction("write", (session) =>
      session.query(`SELECT ${names.makeSums}(user_id, $2, $3) FROM ${names.shards} WHERE user_id = $1`, [
        key,
        sumsOfShard(namesOfShard(names.schemaName), declared),
        declaredText(declared),
      ]),
    );
  } catch (error) {
    // Programs that record have locked the shard for too long. Its rows are counted until the next fold.
    if (!isBusy(error) && !isRolledBack(error)) throw error;
  }
}
