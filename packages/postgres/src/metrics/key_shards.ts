import type { ChosenRows } from "@perdura/internals/metrics/chosen_rows.js";
import type { Session } from "../connection/connection.ts";
import { type DeclaredKeys, NO_KEYS } from "@perdura/internals/metrics/keys/declared_keys.js";
import { areThereKeys, declaredKeys } from "../layout/declare_keys.ts";
import { asPattern, type Names, namesOfShard } from "../layout/names.ts";
import { mayRead } from "../layout/own_rows.ts";
import { areBehind, type KeyAnswer, type SumsOfKey } from "./key_parts.ts";
import { Literals, Parameters } from "./parameters.ts";

/** A question to the sums by key of shards. */
export interface KeyQuestion {
  user: ChosenRows["user"];
  /** SQL that chooses one of the keys `known`, after FROM. */
  which: string;
  /** SQL for the parts of the answer of a shard. */
  parts: (ofShard: Names, key: SumsOfKey, given: Parameters) => string;
  /** The columns of parts with their types. */
  columns: string;
  /** SQL for the answer from the parts of all shards. */
  answer: (parts: string, given: Parameters) => string;
}

/**
 * Asks the shard of a user, or every shard, for parts from its sums by key, and makes the answer of them, in one statement.
 * Each shard has watermarks of its own.
 */
export async function askShards<Row>(
  session: Session,
  names: Names,
  { user, which, parts, columns, answer }: KeyQuestion,
): Promise<KeyAnswer<Row>> {
  const ofShard = namesOfShard(names.schemaName);
  const key = {
    id: "(SELECT key_id FROM chosen WHERE is_summed)",
    watermark: "(SELECT watermark FROM chosen WHERE is_summed)",
  };
  const question = asPattern(`(WITH chosen AS MATERIALIZED (
       SELECT key_id, watermark, is_summed FROM ${ofShard.summedKeys} AS known ${which} LIMIT 1
     ), parts AS MATERIALIZED (
       ${parts(ofShard, key, new Literals())}
     )
     SELECT (SELECT is_summed FROM chosen) AS is_summed, ${areBehind(ofShard, key)} AS is_behind,
       (SELECT coalesce(json_agg(parts), '[]') FROM parts) AS parts)`);
  const given = new Parameters();
  const asked = given.add(question);
  const answers =
    user === undefined
      ? `unnest(${names.atAllShards}(${asked}, NULL))`
      : `(SELECT ${names.atShard}(user_id, ${asked}, NULL) FROM ${names.interactions} WHERE user_id = ${given.add(user)} LIMIT 1)`;
  const [found] = await session.query<{ isSummed: boolean; isBehind: boolean; rows: string | null }>(
    `WITH asked AS MATERIALIZED (
       SELECT answer -> 'rows' -> 0 AS state FROM ${answers} AS asked (answer)
     ), all_parts AS MATERIALIZED (
       SELECT part.* FROM asked, json_to_recordset(state -> 'parts') AS part (${columns})
     )
     SELECT coalesce(bool_and(coalesce((state ->> 'is_summed')::boolean, false)), false) AS "isSummed",
       coalesce(bool_or(coalesce((state ->> 'is_summed')::boolean AND (state ->> 'is_behind')::boolean, state ->> 'is_summed' IS NULL)), ${user === undefined}) AS "isBehind",
       (SELECT json_agg(found)::text FROM (${answer("all_parts", given)}) AS found) AS rows
     FROM asked`,
    given.values,
  );
  if (found === undefined) throw new Error("The state of the shards must be one row.");
  const { isSummed, isBehind, rows } = found;
  return { found: isSummed ? (JSON.parse(rows ?? "[]") as Row[]) : undefined, isBehind };
}

/** The declared keys; none if this role may not read what sums by key of the shards are made of. */
export async function keysOfShards(session: Session, names: Names): Promise<DeclaredKeys> {
  if (!(await areThereKeys(session, names))) return NO_KEYS;
  const [role] = await session.query<{ may: boolean }>(
    `SELECT ${mayRead([names.interactions, names.interactionMetadata])} AS may`,
  );
  return role?.may === true ? declaredKeys(session, names) : NO_KEYS;
}
