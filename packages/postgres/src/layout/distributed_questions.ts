import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { asPattern, type Names } from "./names.ts";
import { distributedRanges } from "./range_functions.ts";
import { isUnderPolicy } from "./shards.ts";
import {
  GLOBAL_RESULT,
  HEAD,
  hereParameter,
  more,
  refuseAnotherSchema,
  statisticsOfRows,
  USER_RESULT,
} from "./statistics_functions.ts";
import { PARTS_RESULT, RANGES, SUMS_RESULT, TREND_OF_PERIOD, TREND_RESULT, trendFunctions } from "./trend_functions.ts";

/**
 * Functions on the coordinator that answer questions from the sums of the shards: about a user from one shard, about all
 * users from every shard. If a shard has no sums, as after a move to another worker, all rows are counted.
 */
export function distributedQuestions(names: Names, ofShard: Names, ofRows: Names): string[] {
  const ask = (question: string, given: string): string =>
    `IF NOT ${isUnderPolicy(names)} THEN
        answer := (SELECT ${names.atShard}(user_id, ${sqlText(asPattern(question))}, ARRAY[${given}]) -> 'rows'
          FROM ${names.interactions} WHERE user_id = whose LIMIT 1);
      END IF;`;
  const askAll = (question: string, given: string): string =>
    `${names.atAllShards}(${sqlText(asPattern(question))}, ARRAY[${given}]::text[])`;
  const limits = "bucket, since, before, from1, to1, from2, to2";
  return [
    ...statisticsOfRows(ofRows),
    ...trendFunctions(ofRows),
    ...distributedRanges(names, ofRows),
    `CREATE OR REPLACE FUNCTION ${names.currentLevel}(whose text${more(names)}) RETURNS integer ${HEAD} ${sqlText(`
    BEGIN
      ${refuseAnotherSchema(names)}
      RETURN ${ofRows.currentLevel}(whose);
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.userSums}(whose text${more(names)}) RETURNS TABLE (${USER_RESULT}) ${HEAD} ${sqlText(`
    DECLARE
      answer json;
    BEGIN
      ${refuseAnotherSchema(names)}
      ${ask(ofShard.userSums, "whose")}
      IF answer ->> 0 IS NULL THEN
        RETURN QUERY SELECT * FROM ${ofRows.userSums}(whose);
      ELSE
        RETURN QUERY SELECT * FROM json_to_recordset(answer) AS sums (${USER_RESULT});
      END IF;
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.globalSums}(${hereParameter(names)}) RETURNS TABLE (${GLOBAL_RESULT}) ${HEAD} ${sqlText(`
    #variable_conflict use_column
    DECLARE
      answers json[];
    BEGIN
      ${refuseAnotherSchema(names)}
      answers := ${askAll(ofShard.globalSums, "")};
      IF answers IS NULL THEN
        RETURN QUERY SELECT * FROM ${ofRows.globalSums}();
      ELSE
        RETURN QUERY SELECT sum(operations)::bigint, sum(successes)::bigint, sum(users)::bigint, sum(counted)::bigint
          FROM unnest(answers) AS answer, json_to_recordset(answer -> 'rows') AS sums (${GLOBAL_RESULT});
      END IF;
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.allUsers}(${hereParameter(names)}) RETURNS TABLE (user_id text) ${HEAD} ${sqlText(`
    #variable_conflict use_column
    DECLARE
      answers json[];
    BEGIN
      ${refuseAnotherSchema(names)}
      answers := ${askAll(ofShard.allUsers, "")};
      IF answers IS NULL THEN
        RETURN QUERY SELECT * FROM ${ofRows.allUsers}();
      ELSE
        RETURN QUERY SELECT value COLLATE "C" AS user_id
          FROM unnest(answers) AS answer, json_array_elements_text(answer -> 'rows') AS value ORDER BY 1;
      END IF;
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.userTrend}(
    whose text, bucket text, since text, before text, ${RANGES}, whole boolean${more(names)}
  ) RETURNS TABLE (${PARTS_RESULT}) ${HEAD} ${sqlText(`
    DECLARE
      answer json;
    BEGIN
      ${refuseAnotherSchema(names)}
      ${ask(ofShard.userTrend, `whose, ${limits}, whole::text`)}
      IF answer IS NULL OR json_typeof(answer) = 'null' THEN
        RETURN QUERY SELECT * FROM ${ofRows.userTrend}(whose, ${limits}, whole);
      ELSE
        RETURN QUERY SELECT * FROM json_to_recordset(answer) AS parts (${PARTS_RESULT});
      END IF;
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.globalTrend}(bucket text, since text, before text, ${RANGES}${more(names)})
    RETURNS TABLE (period text, ${TREND_RESULT}, counted bigint) ${HEAD} ${sqlText(`
    #variable_conflict use_column
    DECLARE
      answers json[];
    BEGIN
      ${refuseAnotherSchema(names)}
      answers := ${askAll(ofShard.globalTrend, limits)};
      IF answers IS NULL THEN
        RETURN QUERY SELECT * FROM ${ofRows.globalTrend}(${limits});
      ELSE
        RETURN QUERY SELECT period, ${TREND_OF_PERIOD}, sum(counted)::bigint
          FROM unnest(answers) AS answer, json_to_recordset(answer -> 'rows') AS sums (${SUMS_RESULT})
          GROUP BY period ORDER BY period;
      END IF;
    END`)}`,
  ];
}
