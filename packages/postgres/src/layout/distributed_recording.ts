import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { NOW } from "./column_types.ts";
import { leavingOut } from "./left_out.ts";
import { asPattern, counterOf, type Names } from "./names.ts";
import { shardOf } from "./shards.ts";
import { levelOf, more, refuseAnotherSchema } from "./statistics_functions.ts";

/** Functions for adding rows to several shards in one transaction. They only need the workers of the given users. */
export function distributedRecording(names: Names, ofShard: Names): string[] {
  // Citus counts the rows that it sends, not those that a trigger lets a worker store.
  const storedAll = (name: string, table: string, id: string, given: string): string =>
    `IF EXISTS (${leavingOut(sqlText(table))}) THEN
        IF (SELECT count(*) FROM ${table} WHERE user_id = ANY (users) AND ${id} = ANY (ids)) < (${given}) THEN
          PERFORM ${names.leftOut}(${sqlText(name)});
        END IF;
      END IF;`;
  const levels = `SELECT json_object_agg(whose, (${levelOf(ofShard, "whose")})) FROM unnest($1) AS whose`;
  return [
    `CREATE OR REPLACE FUNCTION ${names.levelsAtShard}(key text, users text[]${more(names)}) RETURNS json
      LANGUAGE plpgsql SET search_path = pg_catalog AS ${sqlText(`
    DECLARE
      levels json;
    BEGIN
      ${refuseAnotherSchema(names)}
      EXECUTE format(${sqlText(asPattern(levels))}, ${shardOf(names, "key")}) INTO levels USING users;
      RETURN levels;
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.currentLevels}(whose text[]${more(names)}) RETURNS TABLE (user_id text, level integer)
      LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS ${sqlText(`
    DECLARE
      one text;
      of_shard text[];
    BEGIN
      ${refuseAnotherSchema(names)}
      FOR one, of_shard IN
        SELECT min(each), array_agg(each) FROM unnest(whose) AS each GROUP BY ${shardOf(names, "each")}
      LOOP
        RETURN QUERY SELECT found.key, found.value::integer
          FROM (SELECT ${names.levelsAtShard}(one, of_shard) AS levels
              FROM (SELECT count(*) FROM (
                SELECT FROM ${names.interactions} AS rows WHERE rows.user_id = one LIMIT 1
              ) AS found) AS always_one_row OFFSET 0) AS asked,
            json_each_text(levels) AS found (key, value);
      END LOOP;
    END`)}`,
    // Citus prepares a transaction on the workers to which it has noted a write, and commits it at once on the others.
    // Up to version 13.2 at least, it notes no write if a shard was read before rows are copied into it
    // (`CopyGetPlacementConnection`): if that worker is killed at the end, its rows are lost although the transaction was
    // committed. It notes a write for a statement that adds no rows. Arrays are used because the result of a common table
    // expression would be sent to every worker.
    `CREATE OR REPLACE FUNCTION ${names.addRows}(
    users text[], levels integer[], successes boolean[], times double precision[], timestamps text[], metadata json[]${more(names)}
  ) RETURNS bigint[] LANGUAGE plpgsql SET search_path = pg_catalog AS ${sqlText(`
    #variable_conflict use_column
    DECLARE
      one_of_each_shard text[];
      ids bigint[];
    BEGIN
      ${refuseAnotherSchema(names)}
      one_of_each_shard := ARRAY(SELECT min(each) FROM unnest(users) AS each GROUP BY ${shardOf(names, "each")});
      -- A subquery is evaluated once; as an argument, the function would be called for each row.
      ids := ARRAY(SELECT nextval((SELECT ${counterOf(names)})) FROM unnest(users));
      -- Otherwise each shard would get a connection of its own, which takes longer than adding its rows.
      PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
      INSERT INTO ${names.interactionMetadata} (user_id, interaction_id, metadata)
        SELECT user_id, id, NULL FROM ${names.interactions} WHERE user_id = ANY (one_of_each_shard) AND id IS NULL;
      IF array_position(levels, NULL) IS NOT NULL THEN
        SELECT array_agg(coalesce(given.level, present.level, 1) ORDER BY place) INTO levels
          FROM unnest(users, levels) WITH ORDINALITY AS given (user_id, level, place)
          LEFT JOIN ${names.currentLevels}(
            ARRAY(SELECT DISTINCT user_id FROM unnest(users, levels) AS given (user_id, level) WHERE level IS NULL)
          ) AS present USING (user_id);
      END IF;
      INSERT INTO ${names.interactions} (id, user_id, level, success, response_time_ms, timestamp)
        SELECT id, user_id, level, success, response_time_ms, coalesce(timestamp, ${NOW})
        FROM unnest(ids, users, levels, successes, times, timestamps)
          AS given (id, user_id, level, success, response_time_ms, timestamp);
      ${storedAll("interactions", names.interactions, "id", "cardinality(ids)")}
      IF metadata IS NOT NULL THEN
        INSERT INTO ${names.interactionMetadata} (user_id, interaction_id, metadata)
          SELECT user_id, id, metadata FROM unnest(users, ids, metadata) AS given (user_id, id, metadata)
          WHERE metadata IS NOT NULL;
        ${storedAll("interaction_metadata", names.interactionMetadata, "interaction_id", "SELECT count(value) FROM unnest(metadata) AS given (value)")}
      END IF;
      RETURN ids;
    END`)}`,
  ];
}
