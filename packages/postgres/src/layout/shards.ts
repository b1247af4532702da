import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { areKeysIntact, mayUseKeys } from "./key_tables.ts";
import { asPattern, type Names } from "./names.ts";
import { more, refuseAnotherSchema } from "./statistics_functions.ts";

/** SQL for the number of the shard of a user. */
export const shardOf = (names: Names, user: string): string =>
  `get_shard_id_for_distribution_column(${sqlText(names.interactions)}, ${user})`;

/** SQL for the number of the shard of a user's metadata. */
export const metadataShardOf = (names: Names, user: string): string =>
  `get_shard_id_for_distribution_column(${sqlText(names.interactionMetadata)}, ${user})`;

/** SQL for a row of each shard of `interactions`. */
const allShards = (names: Names): string =>
  `pg_dist_shard WHERE logicalrelid = ${sqlText(names.interactions)}::regclass`;

/** Number of candidates for each shard; a shard of a few users is found by one of its rows. */
const CANDIDATES = 100;

/**
 * Statements that put one row into each shard of `perdura_shards`. Needed when the tables are created, and after shards
 * were split.
 */
export function fillShards(names: Names): string[] {
  const ofShard = (key: string): string => `
        shard := ${shardOf(names, key)};
        IF shard <> ALL (filled) THEN
          INSERT INTO ${names.shards} VALUES (${key});
          filled := filled || shard;
        END IF;`;
  return [
    `DELETE FROM ${names.shards}`,
    `DO ${sqlText(`
    DECLARE
      wanted bigint := (SELECT count(*) FROM ${allShards(names)});
      filled bigint[] := '{}';
      shard bigint;
      candidate text;
    BEGIN
      FOR number IN 1 .. wanted * ${CANDIDATES} LOOP
        candidate := number::text;${ofShard("candidate")}
        EXIT WHEN cardinality(filled) = wanted;
      END LOOP;
      IF cardinality(filled) < wanted THEN
        FOR candidate IN SELECT DISTINCT user_id FROM ${names.interactions} LOOP${ofShard("candidate")}
        END LOOP;
      END IF;
    END`)}`,
  ];
}

/** SQL that is true if {@link fillShards} is not needed. */
export function areShardsFilled(names: Names): string {
  return `(SELECT count(*) = count(DISTINCT shard) AND count(*) = (SELECT count(*) FROM ${allShards(names)})
      FROM (SELECT ${shardOf(names, "user_id")} AS shard FROM ${names.shards} OFFSET 0) AS filled)`;
}

/**
 * SQL that runs statements at every shard of `interactions`, each in a transaction of its own, with a row for each shard.
 *
 * @param pattern See {@link asPattern}.
 */
export function atEveryShard({ interactions, interactionMetadata }: Names, pattern: string): string {
  const shard = "substring(%1$L FROM '[0-9]+$')";
  const ofMetadata = `SELECT described.shardid FROM pg_dist_shard AS described JOIN pg_dist_shard AS rows USING (shardminvalue) WHERE described.logicalrelid = ${sqlText(interactionMetadata).replaceAll("%", "%%")}::regclass AND rows.shardid = ${shard}::bigint`;
  const command = `DO $do$ BEGIN EXECUTE format(${sqlText(pattern).replaceAll("%", "%%")}, ${shard}, NULL, (${ofMetadata})); END $do$`;
  return `run_command_on_shards(${sqlText(interactions)}, ${sqlText(command)})`;
}

/** More connections to a worker would be opened for each statement, which takes longer than short questions. */
const ONE_CONNECTION = "SET citus.max_adaptive_executor_pool_size = 1";

/**
 * SQL that is true if a policy applies to the role. It is then answered through the coordinator, as by plain SQL: on the
 * workers, Citus 13.2.2 makes a permissive policy of a restrictive one.
 */
export const isUnderPolicy = ({ interactions }: Names): string => `row_security_active(${sqlText(interactions)})`;

/**
 * Functions for questions to shards. A question is the name of a function as a pattern; see {@link asPattern}. Without
 * arguments, it is a subquery about the sums by key. Rows are answered as JSON, with the number of the shard. They are null
 * if the shard has no such sums on its server, if changes may not have been noticed, or if the role may not read them. The
 * answers of all shards are null if one is, if a policy applies to the role, or if it may not read the rows that lead to them.
 */
export function shardFunctions(names: Names, ofShard: Names): string[] {
  const mayAsk = `SELECT ${ofShard.sumsValid}() AND ${areKeysIntact(ofShard)} AND ${mayUseKeys(ofShard)}`;
  return [
    `CREATE OR REPLACE FUNCTION ${names.atShard}(key text, question text, given text[]${more(names)}) RETURNS json
      LANGUAGE plpgsql SET search_path = pg_catalog SET extra_float_digits = 1 AS ${sqlText(`
    DECLARE
      shard bigint;
      of_metadata bigint;
      is_valid boolean;
      answer json;
    BEGIN
      ${refuseAnotherSchema(names)}
      shard := ${shardOf(names, "key")};
      IF given IS NULL THEN
        of_metadata := ${metadataShardOf(names, "key")};
        IF to_regclass(format(${sqlText(asPattern(ofShard.summedKeys))}, shard)) IS NOT NULL THEN
          EXECUTE format(${sqlText(asPattern(mayAsk))}, shard, NULL, of_metadata) INTO is_valid;
        END IF;
        IF is_valid THEN
          EXECUTE format('SELECT coalesce(json_agg(answer), ''[]'') FROM %s AS answer', format(question, shard, NULL, of_metadata)) INTO answer;
        END IF;
      ELSIF has_table_privilege(to_regclass(format(${sqlText(asPattern(ofShard.rollup))}, shard)), 'SELECT') THEN
        EXECUTE format('SELECT coalesce(json_agg(answer), ''[]'') FROM %s(%s) AS answer', format(question, shard),
          (SELECT string_agg(quote_nullable(value), ', ' ORDER BY place)
            FROM unnest(given) WITH ORDINALITY AS arguments (value, place))) INTO answer;
      END IF;
      RETURN json_build_object('shard', shard, 'rows', answer);
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.atAllShards}(question text, given text[]${more(names)}) RETURNS json[]
      LANGUAGE plpgsql SET search_path = pg_catalog ${ONE_CONNECTION} AS ${sqlText(`
    DECLARE
      answers json[];
    BEGIN
      ${refuseAnotherSchema(names)}
      IF ${isUnderPolicy(names)} OR NOT has_table_privilege(${sqlText(names.shards)}, 'SELECT') THEN
        RETURN NULL;
      END IF;
      SELECT array_agg(answer) INTO answers
        FROM (SELECT ${names.atShard}(user_id, question, given) AS answer FROM ${names.shards} OFFSET 0) AS asked;
      IF (SELECT count(answer ->> 'rows') = count(*) AND count(DISTINCT answer ->> 'shard') = count(*)
            AND count(*) = (SELECT count(*) FROM ${allShards(names)})
          FROM unnest(answers) AS asked (answer)) THEN
        RETURN answers;
      END IF;
      RETURN NULL;
    END`)}`,
  ];
}
