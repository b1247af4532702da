import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { COUNTS, currentLevel, SUMS } from "./sums.ts";
import { type Names, namesWithoutSums } from "./names.ts";

/**
 * Functions that answer questions about interactions. Within a function the planner knows the value of the watermark.
 * In a single statement it would expect a third of all rows above the watermark, and start parallel workers for them. A
 * stable function sees the data of one moment, that of its caller.
 */
export function statisticsFunctions(names: Names): string[] {
  return [levelFunction(names), userFunction(names), globalFunction(names), usersFunction(names)];
}

/** Compiling a statement takes a server longer than a question. */
export const HEAD =
  "LANGUAGE plpgsql STABLE SET search_path = pg_catalog SET max_parallel_workers_per_gather = 0 SET jit = off AS";

/** SQL for a sum with its type, whatever the type of the column in the table of interactions is. */
const declared = (sum: string, count: string): string => `${sum}::${count === "ms" ? "double precision" : "bigint"}`;

/**
 * The head of a question on one server. PostgreSQL keeps the plan of a statement when a role gets or loses BYPASSRLS, so
 * policies would apply to some parts of an answer only. With the sums, a statement fails instead; from the rows, policies
 * apply.
 */
export function headOf({ sums }: Names): string {
  return sums === "shards"
    ? HEAD
    : HEAD.replace("STABLE", `STABLE SET row_security = ${sums === "server" ? "off" : "on"}`);
}

/** Functions that answer the same questions from the rows alone, for tables without sums. */
export function statisticsOfRows(names: Names): string[] {
  const { interactions } = names;
  return [
    `CREATE OR REPLACE FUNCTION ${names.currentLevel}(whose text) RETURNS integer ${headOf(names)} ${sqlText(`
    BEGIN
      RETURN (${levelOf(names, "whose")});
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.userSums}(whose text) RETURNS TABLE (${USER_RESULT}) ${headOf(names)} ${sqlText(`
    #variable_conflict use_column
    BEGIN
      RETURN QUERY
        WITH sums AS (SELECT ${SUMS} FROM ${interactions} WHERE user_id = whose)
        SELECT ${COUNTS.map((count) => declared(count, count)).join(", ")}, ${currentLevel(names, "whose", "sums.newest")}, first_use, last_use,
          sums.operations FROM sums;
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.globalSums}() RETURNS TABLE (${GLOBAL_RESULT}) ${headOf(names)} ${sqlText(`
    BEGIN
      RETURN QUERY SELECT ${TOTAL}, count(DISTINCT user_id), count(*) FROM ${interactions};
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.allUsers}() RETURNS TABLE (user_id text) ${headOf(names)} ${sqlText(`
    #variable_conflict use_column
    BEGIN
      RETURN QUERY SELECT DISTINCT user_id FROM ${interactions} ORDER BY 1;
    END`)}`,
  ];
}

/** SQL for the level of a user's newest interaction (ruling U-current-level), from the rows. */
export const levelOf = ({ interactions }: Names, user: string): string =>
  `SELECT level::integer FROM ${interactions} WHERE user_id = ${user} AND level BETWEEN 1 AND 5 ORDER BY id DESC LIMIT 1`;

/** The columns of the sums that can be added, with their types. */
export const TYPED_COUNTS: string = COUNTS.map(
  (count) => `${count} ${count === "ms" ? "double precision" : "bigint"}`,
).join(", ");

export const USER_RESULT: string = `${TYPED_COUNTS},
    current_level integer, first_use text, last_use text, counted bigint`;
export const GLOBAL_RESULT: string = "operations bigint, successes bigint, users bigint, counted bigint";
const TOTAL = "count(*) AS operations, count(*) FILTER (WHERE success) AS successes";

/** Transaction number from which rows are counted; -1, for all rows, if there are no valid sums. */
export const DECLARE = `DECLARE
      begin_at bigint := -1;`;

/**
 * Sets the transaction number of {@link DECLARE}. A role that may not use the sums is answered by a function that does
 * not name them, because PostgreSQL checks the privileges for each table that a statement names. Roles that may not read
 * the sums of a shard do not reach its functions.
 *
 * @param answer Statements that return the answer of that function, with the names of functions that answer from rows.
 */
export function beginAt(names: Names, answer: (ofRows: Names) => string): string {
  if (names.sums === "none") return "";
  if (names.sums === "shards")
    return `begin_at := coalesce((SELECT watermark FROM ${names.rollup} WHERE ${names.sumsValid}()), -1);`;
  return `${refuseAnotherSchema(names)}
      IF NOT ${names.sumsValid}() THEN
        ${answer(namesWithoutSums(names.schemaName))};
      END IF;
      begin_at := coalesce((SELECT watermark FROM ${names.rollup}), -1);`;
}

/**
 * The last parameter of a question, which callers leave out. A function's text contains the name of its schema, which
 * {@link refuseAnotherSchema} compares with this table: PostgreSQL stores the default by its number, whatever the name of
 * the schema is.
 */
export function hereParameter(names: Names): string {
  return names.sums === "server" ? `here regclass DEFAULT ${sqlText(names.interactions)}::regclass` : "";
}

/** The same, after other parameters. */
export function more(names: Names): string {
  const parameter = hereParameter(names);
  return parameter === "" ? "" : `, ${parameter}`;
}

/** Statements that fail if the schema was renamed since the function was created: its text would name another schema. */
export function refuseAnotherSchema({ interactions, schemaName }: Names): string {
  return `IF here IS DISTINCT FROM to_regclass(${sqlText(interactions)}) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_schema_name',
          MESSAGE = format('the functions of the schema %s were created when its name was %I',
            (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = here), ${sqlText(schemaName)});
      END IF;`;
}

/** Statements that return the rows of another function. */
export const answerOf = (question: string): string => `RETURN QUERY SELECT * FROM ${question};
        RETURN`;

/** Counts all rows of a user if folded rows of the user were changed. */
export function allIfStale(names: Names): string {
  return `IF EXISTS (SELECT 1 FROM ${names.staleUsers} WHERE user_id = whose) THEN
        begin_at := -1;
      END IF;`;
}

/**
 * The level of a user's newest interaction (ruling U-current-level), from the sums and the rows that they do not
 * contain.
 */
function levelFunction(names: Names): string {
  return `CREATE OR REPLACE FUNCTION ${names.currentLevel}(whose text${more(names)}) RETURNS integer ${headOf(names)} ${sqlText(`
    ${DECLARE}
    BEGIN
      ${beginAt(names, (ofRows) => `RETURN ${ofRows.currentLevel}(whose)`)}
      ${allIfStale(names)}
      RETURN (
        SELECT newest.level FROM (
          SELECT id, level::integer FROM ${names.interactions}
            WHERE user_id = whose AND level BETWEEN 1 AND 5 AND recorded_by >= begin_at
          UNION ALL SELECT newest, current_level FROM ${names.userRollup}
            WHERE user_id = whose AND newest IS NOT NULL AND begin_at >= 0
        ) AS newest ORDER BY id DESC LIMIT 1);
    END`)}`;
}

/**
 * Settings for one plan that serves all users: planning takes longer than the question. The plan may be made when there
 * are few rows, and must not read all of them later.
 */
const ONE_PLAN = "SET plan_cache_mode = force_generic_plan SET enable_seqscan = off";

/** Sums of a user plus the rows from the watermark on; all rows if folded rows of the user were changed. */
function userFunction(names: Names): string {
  const tail = `${names.interactions} WHERE user_id = whose AND recorded_by >= begin_at`;
  return `CREATE OR REPLACE FUNCTION ${names.userSums}(whose text${more(names)}) RETURNS TABLE (${USER_RESULT}) ${ONE_PLAN}
    ${headOf(names)} ${sqlText(`
    #variable_conflict use_column
    ${DECLARE}
    BEGIN
      ${beginAt(names, (ofRows) => answerOf(`${ofRows.userSums}(whose)`))}
      ${allIfStale(names)}
      RETURN QUERY
        SELECT ${COUNTS.join(", ")}, current_level, first_use, last_use, 0::bigint FROM ${names.userRollup}
        WHERE user_id = whose AND begin_at >= 0 AND NOT EXISTS (SELECT 1 FROM ${tail});
      IF FOUND THEN
        RETURN;
      END IF;
      RETURN QUERY
        WITH tail AS MATERIALIZED (
          SELECT ${SUMS} FROM ${tail}
        )
        SELECT ${COUNTS.map((count) => declared(`(coalesce(known.${count}, 0) + tail.${count})`, count)).join(", ")},
          CASE WHEN known.newest IS NULL OR tail.newest > known.newest THEN ${currentLevel(names, "whose", "tail.newest")} ELSE known.current_level END,
          least(known.first_use, tail.first_use), greatest(known.last_use, tail.last_use), tail.operations
        FROM tail LEFT JOIN ${names.userRollup} AS known
          ON known.user_id = whose AND begin_at >= 0;
    END`)}`;
}

/** Rows to add to the sums: those from the watermark on, without users whose folded rows were changed. */
function uncounted(names: Names): string {
  return `recorded_by >= begin_at AND NOT EXISTS (
      SELECT 1 FROM ${names.staleUsers} AS stale WHERE stale.user_id = rows.user_id)`;
}

const staleUsers = (names: Names): string => `(SELECT user_id FROM ${names.staleUsers})`;

function globalFunction(names: Names): string {
  const stale = staleUsers(names);
  const known = `EXISTS (
              SELECT 1 FROM ${names.userRollup} AS known WHERE known.user_id = rows.user_id)`;
  return `CREATE OR REPLACE FUNCTION ${names.globalSums}(${hereParameter(names)}) RETURNS TABLE (${GLOBAL_RESULT}) ${headOf(names)} ${sqlText(`
    #variable_conflict use_column
    ${DECLARE}
    BEGIN
      ${beginAt(names, (ofRows) => answerOf(`${ofRows.globalSums}()`))}
      IF begin_at < 0 THEN
        RETURN QUERY SELECT ${TOTAL}, count(DISTINCT user_id), count(*) FROM ${names.interactions};
        RETURN;
      END IF;
      RETURN QUERY
        SELECT sum(parts.operations)::bigint, sum(parts.successes)::bigint, sum(parts.users)::bigint,
          sum(parts.counted)::bigint
        FROM (
          SELECT operations, successes, users, 0 AS counted FROM ${names.rollup}
          UNION ALL SELECT ${TOTAL}, count(DISTINCT user_id) FILTER (WHERE NOT ${known}), count(*)
            FROM ${names.interactions} AS rows WHERE ${uncounted(names)}
          UNION ALL SELECT -coalesce(sum(operations), 0), -coalesce(sum(successes), 0), -count(*), 0
            FROM ${names.userRollup} WHERE user_id IN ${stale}
          UNION ALL SELECT ${TOTAL}, count(DISTINCT user_id), count(*)
            FROM ${names.interactions} WHERE user_id IN ${stale}
        ) AS parts;
    END`)}`;
}

/** All users in the order of code points, which is the order of UTF-8 bytes (ruling U-users-order). */
function usersFunction(names: Names): string {
  const stale = staleUsers(names);
  return `CREATE OR REPLACE FUNCTION ${names.allUsers}(${hereParameter(names)}) RETURNS TABLE (user_id text) ${headOf(names)} ${sqlText(`
    #variable_conflict use_column
    ${DECLARE}
    BEGIN
      ${beginAt(names, (ofRows) => answerOf(`${ofRows.allUsers}()`))}
      RETURN QUERY
        SELECT user_id FROM ${names.userRollup} WHERE begin_at >= 0 AND user_id NOT IN ${stale}
        UNION SELECT user_id FROM ${names.interactions} AS rows WHERE ${uncounted(names)}
        UNION SELECT user_id FROM ${names.interactions} WHERE user_id IN ${stale}
        ORDER BY 1;
    END`)}`;
}
