import type { CheckedInteraction } from "@perdura/internals/metrics/checked_interaction.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Clock, readClock, sqliteTimestamp } from "@perdura/internals/text/timestamps.js";
import type { Session } from "../connection/connection.ts";
import { copiedText } from "../connection/copy_rows.ts";
import { RowLeftOut } from "../connection/failures.ts";
import type { Values } from "../connection/statements.ts";
import { NOW } from "../layout/column_types.ts";
import { counterOf, type Names } from "../layout/names.ts";
import type { Tables } from "../layout/set_up.ts";
import { shardOf } from "../layout/shards.ts";

/** Sends rows that are prepared; so the server need not wait for that. */
export type SendRows = () => Promise<unknown>;

/** Statements that add interactions. Each fails, and adds nothing, if a trigger of another program leaves out a row. */
export interface Recording {
  readonly names: Names;
  /** True on a cluster, where many rows need a transaction. */
  readonly isDistributed: boolean;
  /** Number of rows in one statement from which more rows are hardly faster. */
  readonly rowsAtOnce: number;
  one(session: Session, interaction: CheckedInteraction): Promise<number>;
  /** Adds an interaction like {@link one} and uses a key with it; undefined if the key was used before. */
  once(session: Session, interaction: CheckedInteraction, key: string, content: string): Promise<number | undefined>;
  /**
   * Adds all interactions, or none, in one statement; on a cluster, in the caller's transaction. Returns the ids in the
   * order of the interactions.
   */
  many(session: Session, interactions: readonly CheckedInteraction[]): Promise<number[]>;
  /** The same; returns only the lowest id, because reading many ids takes a considerable part of the time. */
  manyWithoutIds(session: Session, interactions: readonly CheckedInteraction[]): Promise<number>;
  /** Returns a function that prepares further interactions of the same transaction, with COPY where it can be used. */
  further(session: Session): Promise<(interactions: readonly CheckedInteraction[]) => SendRows>;
  /** Returns the number of the worker of each row on a cluster. */
  workersOf(session: Session, interactions: readonly CheckedInteraction[]): Promise<number[]>;
}

export function recordingInto({ names, isSpread, isDistributed }: Tables, clock: Clock | undefined): Recording {
  const columns = `user_id, level, success, response_time_ms${clock === undefined ? "" : ", timestamp"}`;
  const timestamp = clock === undefined ? "" : ", $5";
  const owner = isSpread ? ", user_id" : "";
  const level = `coalesce($2::integer, ${names.currentLevel}($1::text), 1)`;
  const insertOne = `INSERT INTO ${names.interactions} (${columns}) VALUES ($1::text, ${level}, $3, $4${timestamp}) RETURNING id${owner}`;
  // Most are transactions of their own, so that the statement has to fail.
  const isWhole = (table: "interactions" | "interaction_metadata", added: string, given: string): string =>
    `CASE WHEN ${added} < ${given} THEN ${names.leftOut}(${sqlText(table)}) END IS NULL`;
  const storedAll = (given: string): string => isWhole("interactions", "(SELECT count(*) FROM stored)", given);
  const describedAll = (given: string): string =>
    isWhole("interaction_metadata", "(SELECT count(*) FROM described)", given);
  const wholeOne = (insert: string): string =>
    isDistributed ? insert : `WITH stored AS (${insert}) SELECT (SELECT id FROM stored) AS id WHERE ${storedAll("1")}`;
  const one = wholeOne(insertOne);
  const oneAtLevel = wholeOne(insertOne.replace(level, "$2"));
  const json = `$${clock === undefined ? 5 : 6}::json`;
  // A policy may allow reading metadata only with their row, which the statement does not see yet.
  const insertWithMetadata = `WITH stored AS (${insertOne}), described AS (
      INSERT INTO ${names.interactionMetadata} (interaction_id${owner}, metadata) SELECT id${owner}, ${json} FROM stored
      RETURNING 1
    )
    SELECT (SELECT id FROM stored) AS id
    WHERE ${storedAll("1")} AND ${describedAll("(SELECT count(*) FROM stored)")}`;
  // A subquery is evaluated once; as an argument, the function would be called for each row.
  const counter = counterOf(names);
  const insertOnce = `WITH claimed AS (
      INSERT INTO ${names.idempotencyKeys} (key, content, rows, first_id)
      SELECT $6, $7, 1, nextval((SELECT ${counter})) ON CONFLICT (key) DO NOTHING RETURNING first_id
    ), stored AS (
      INSERT INTO ${names.interactions} (id, user_id, level, success, response_time_ms, timestamp)
      SELECT first_id, $1::text, ${level}, $3, $4, coalesce($8, ${NOW}) FROM claimed RETURNING id${owner}
    ), described AS (
      INSERT INTO ${names.interactionMetadata} (interaction_id${owner}, metadata)
      SELECT id${owner}, $5::json FROM stored WHERE $5 IS NOT NULL RETURNING 1
    )
    SELECT first_id AS id FROM claimed
    WHERE ${storedAll("1")} AND ${describedAll("(SELECT count(*) FROM stored WHERE $5 IS NOT NULL)")}`;
  const rowsOfArrays = `unnest($1::text[], $2::integer[], $3::boolean[], $4::double precision[], $5::text[], $6::json[])
          WITH ORDINALITY AS rows (user_id, level, success, response_time_ms, timestamp, metadata, place)`;
  const insertMany = (answer: string): string => `WITH given AS MATERIALIZED (
      SELECT nextval((SELECT ${counter})) AS id, ordered.* FROM (
        SELECT * FROM ${rowsOfArrays} ORDER BY place
      ) AS ordered
    ), levels AS MATERIALIZED (
      SELECT user_id, coalesce(${names.currentLevel}(user_id), 1) AS level
      FROM (SELECT DISTINCT user_id FROM given WHERE level IS NULL) AS users
    ), stored AS (
      INSERT INTO ${names.interactions} (id, ${columns})
      SELECT id, given.user_id, coalesce(given.level, levels.level), success, response_time_ms${clock === undefined ? "" : ", timestamp"}
      FROM given LEFT JOIN levels ON levels.user_id = given.user_id ORDER BY place RETURNING 1
    ), described AS (
      INSERT INTO ${names.interactionMetadata} (interaction_id${owner}, metadata)
      SELECT id${owner}, metadata FROM given WHERE metadata IS NOT NULL RETURNING 1
    )
    ${answer} FROM given
    WHERE ${storedAll("(SELECT count(*) FROM given)")} AND ${describedAll("(SELECT count(metadata) FROM given)")}`;
  const insertPlain = `WITH stored AS (
      INSERT INTO ${names.interactions} (${columns}) SELECT ${columns} FROM ${rowsOfArrays} ORDER BY place RETURNING id
    )
    SELECT id FROM (SELECT min(id) AS id, count(*) AS rows FROM stored) AS added
    WHERE ${isWhole("interactions", "rows", "cardinality($1::text[])")}`;
  const added = `unnest(${names.addRows}($1, $2, $3, $4, $5, $6)) WITH ORDINALITY AS given (id, place)`;
  const many = (answer: string): string => (isDistributed ? `${answer} FROM ${added}` : insertMany(answer));
  const withIds = `${many("SELECT id")} ORDER BY place`;
  const withoutIds = many("SELECT min(id) AS id");
  const copied = `COPY ${names.interactions} (${columns}) FROM STDIN`;
  const now = (): string | null => (clock === undefined ? null : sqliteTimestamp(readClock(clock)));
  const valuesOf = (interactions: readonly CheckedInteraction[]): Values => [
    interactions.map(({ userId }) => userId),
    arrayOf(levelsOf(interactions)),
    arrayOf(interactions.map(({ success }) => success)),
    arrayOf(interactions.map(({ responseTimeMs }) => responseTimeMs)),
    clock === undefined ? null : interactions.map(now),
    interactions.some(({ metadata }) => metadata !== null) ? interactions.map(({ metadata }) => metadata) : null,
  ];
  const rowOf = ({ userId, level: given, success, responseTimeMs }: CheckedInteraction): string =>
    `${copiedText(userId)}\t${given}\t${success}\t${responseTimeMs ?? "\\N"}${clock === undefined ? "" : `\t${now()}`}\n`;
  const isPlain = (interactions: readonly CheckedInteraction[]): boolean =>
    !isDistributed && interactions.every(({ level: given, metadata }) => given !== null && metadata === null);
  const sendingMany = (session: Session, interactions: readonly CheckedInteraction[]): (() => Promise<number>) => {
    const statement = isPlain(interactions) ? insertPlain : withoutIds;
    const values = valuesOf(interactions);
    return async () => {
      const [row] = await session.query<{ id: number }>(statement, values);
      return (row as { id: number }).id;
    };
  };
  return {
    names,
    isDistributed,
    // On a cluster, each statement copies rows into every shard.
    rowsAtOnce: isDistributed ? 10_000 : 3000,
    one: async (session, { userId, level: given, success, responseTimeMs, metadata }) => {
      const values: unknown[] = [userId, given, success, responseTimeMs];
      if (clock !== undefined) values.push(now());
      if (metadata !== null) values.push(metadata);
      const [statement, name] =
        metadata !== null
          ? [insertWithMetadata, "perdura_record_described"]
          : given === null
            ? [one, "perdura_record"]
            : [oneAtLevel, "perdura_record_at_level"];
      const [row] = await session.query<{ id: number }>(statement, values, name);
      // On a cluster, the statement only answers nothing.
      if (row === undefined) throw new RowLeftOut("interactions");
      return row.id;
    },
    once: async (session, { userId, level: given, success, responseTimeMs, metadata }, key, content) => {
      const values = [userId, given, success, responseTimeMs, metadata, key, content, now()];
      const [row] = await session.query<{ id: number }>(insertOnce, values, "perdura_record_once");
      return row?.id;
    },
    many: async (session, interactions) => {
      const rows = await session.query<{ id: number }>(withIds, valuesOf(interactions));
      return rows.map(({ id }) => id);
    },
    manyWithoutIds: (session, interactions) => sendingMany(session, interactions)(),
    further: async (session) => {
      const { copy } = session;
      // COPY does not check policies, so PostgreSQL refuses it for roles to which they apply.
      const mayCopy = copy !== undefined && !isDistributed && !(await hasPolicies(session, names));
      return (interactions) => {
        if (!mayCopy || !isPlain(interactions)) return sendingMany(session, interactions);
        const rows = interactions.map(rowOf).join("");
        return async () => {
          if ((await copy(copied, rows)) !== interactions.length) throw new RowLeftOut("interactions");
        };
      };
    },
    workersOf: async (session, interactions) => {
      const rows = await session.query<{ worker: number }>(
        `SELECT (SELECT min(groupid) FROM pg_dist_placement WHERE shardid = ${shardOf(names, "user_id")}) AS worker
         FROM unnest($1::text[]) WITH ORDINALITY AS given (user_id, place) ORDER BY place`,
        [interactions.map(({ userId }) => userId)],
      );
      return rows.map(({ worker }) => worker);
    },
  };
}

/** True if policies of the table apply to the role. */
async function hasPolicies(session: Session, names: Names): Promise<boolean> {
  const [row] = await session.query<{ applies: boolean }>("SELECT row_security_active($1::text) AS applies", [
    names.interactions,
  ]);
  return row?.applies === true;
}

/**
 * Levels of the interactions of one statement, which does not see the rows that it adds: an interaction at the user's
 * current level gets the level of the user's interaction before it (ruling U-record-metric-level).
 */
function levelsOf(interactions: readonly CheckedInteraction[]): (number | null)[] {
  const newest = new Map<string, number>();
  return interactions.map(({ userId, level }) => {
    if (level === null) return newest.get(userId) ?? null;
    newest.set(userId, level);
    return level;
  });
}

/** An array of PostgreSQL. The driver would look at each value several times, which takes longer than sending it. */
function arrayOf(values: readonly (number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}
