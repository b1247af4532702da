import { type DeclaredKeys } from "@perdura/internals/metrics/keys/declared_keys.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { replaceTotals, wrongTotals, wrongUsers } from "./compare_sums.ts";
import { addToKeys, type KeySums, removeSums, unsummedKeys } from "./key_sums.ts";
import { areKeysIntact, dropMetadataTriggers, keyTables, mayUseKeys, sumsOfKeys } from "./key_tables.ts";
import { addSums, anyStale, endOfPiece, foldLock, recountStaleUsers } from "./fold_sums.ts";
import { asPattern, type Names, namesIn, namesOfShard } from "./names.ts";
import { overviewFunctions } from "./overview_functions.ts";
import { keepOwnRows, mayRead } from "./own_rows.ts";
import { copyPrivileges } from "./privileges.ts";
import { horizon } from "./recorded_by.ts";
import { dropTriggers, rowTriggers } from "./row_triggers.ts";
import { atEveryShard, metadataShardOf, shardOf } from "./shards.ts";
import { statisticsFunctions } from "./statistics_functions.ts";
import { firstState, sumsTables, tableId, tablesOfSums } from "./sums_tables.ts";
import { trendFunctions } from "./trend_functions.ts";

/** Longest wait for a lock on a shard while its sums are made, in milliseconds: other programs that record wait, too. */
const SHORT_WAIT_MS = 200;

/** Above this number no first number of a shard is left. Only other programs can write such a number. */
const HIGHEST_NUMBER = "(1::bigint << 61)";

/**
 * A pattern of statements for {@link makeSumsFunction} that make the sums of a shard like those of a table on one server:
 * tables, triggers and functions next to the shard. They belong to this server; a shard that moves leaves them behind.
 */
export function sumsOfShard(ofShard: Names, declared: DeclaredKeys): string {
  const sums = keySums(ofShard, declared);
  return asPattern(
    [
      ...dropMetadataTriggers(ofShard),
      dropSums(ofShard),
      ...sumsTables(ofShard),
      copyPrivileges(namesIn(ofShard.schemaName).userRollup, tablesOfSums(ofShard)),
      ...rowTriggers(ofShard),
      ...keepOwnRows(ofShard),
      ...(sums === undefined ? [] : [...keyTables(ofShard, true), fillKeys(ofShard, declared)]),
      ...statisticsFunctions(ofShard),
      ...trendFunctions(ofShard),
      ...overviewFunctions(ofShard),
      foldFunction(ofShard, declaredText(declared), sums),
      recountFunction(ofShard, sums),
      ...firstState(ofShard),
    ].join(";\n"),
  );
}

/** The declared keys as text, by which a shard tells if it has their sums. */
export const declaredText = (declared: DeclaredKeys): string => JSON.stringify(declared);

/** The tables of sums by key of a shard; undefined without declared keys. */
function keySums(ofShard: Names, { keys, numbers }: DeclaredKeys): KeySums | undefined {
  return keys.length === 0
    ? undefined
    : { names: ofShard, isSpread: true, places: numbers.map((_, index) => index + 1) };
}

/** SQL that gives each declared key its row. All sums of a shard have one watermark. */
function fillKeys({ summedKeys }: Names, { keys, numbers }: DeclaredKeys): string {
  const texts = (of: readonly string[]): string => `ARRAY[${of.map(sqlText).join(", ")}]::text[]`;
  return `INSERT INTO ${summedKeys} (key_id, key, numbers, watermark, is_summed)
      SELECT place, key, ${texts(numbers)}, 0, true FROM unnest(${texts(keys)}) WITH ORDINALITY AS declared (key, place)`;
}

/** SQL for the failures to drop the sums of the shards with their triggers; the next fold makes them again. */
export function dropSumsOfShards(names: Names): string {
  const ofShard = namesOfShard(names.schemaName);
  const allowed = [
    "SET LOCAL citus.enable_ddl_propagation = off",
    "SET LOCAL citus.enable_manual_changes_to_shards = on",
  ];
  const drop = [dropTriggers(ofShard), ...dropMetadataTriggers(ofShard), dropSums(ofShard)];
  const pattern = asPattern([...allowed, ...drop].join("; "));
  return `SELECT result FROM ${atEveryShard(names, pattern)} WHERE NOT success LIMIT 1`;
}

const dropSums = (ofShard: Names): string =>
  `DROP TABLE IF EXISTS ${[...tablesOfSums(ofShard), ...sumsOfKeys(ofShard)].join(", ")}`;

/**
 * Functions that make the sums of the shard of a user on its server unless they are valid, and that drop the sums of
 * shards that are gone from its server. The numbers of transactions in a shard begin above those of its rows, which another server may
 * have written.
 */
export function functionsOnShards(names: Names, ofShard: Names): string[] {
  const at = (sql: string): string => `format(${sqlText(asPattern(sql))}, shard)`;
  const lock = `pg_advisory_xact_lock(hashtextextended(${at(foldLock(ofShard))}, 0))`;
  const { interactions, rollup } = ofShard;
  // The fold of a piece tells if it could be added.
  const isValid = `SELECT EXISTS (SELECT 1 FROM ${rollup} WHERE table_id = ${tableId(ofShard)}) AND ${ofShard.fold}(0, $1) IS NOT NULL`;
  // Other programs can have written any number while there were no triggers.
  const reset = `UPDATE ${interactions} SET recorded_by = 0 WHERE recorded_by < 0 OR recorded_by >= ${HIGHEST_NUMBER}`;
  const first = `SELECT ((coalesce(max(recorded_by), 0) >> 48) + 1) << 48 FROM ${interactions}`;
  const head = `LANGUAGE plpgsql SET search_path = pg_catalog SET citus.enable_ddl_propagation = off`;
  return [
    `CREATE OR REPLACE FUNCTION ${names.makeSums}(key text, statements text, declared text) RETURNS boolean
      ${head} SET lock_timeout = ${SHORT_WAIT_MS} SET citus.enable_manual_changes_to_shards = on AS ${sqlText(`
    DECLARE
      shard bigint := ${shardOf(names, "key")};
      valid boolean := false;
      first_number bigint;
    BEGIN
      PERFORM ${lock};
      IF to_regclass(${at(rollup)}) IS NOT NULL THEN
        EXECUTE ${at(isValid)} INTO valid USING declared;
      END IF;
      IF valid THEN
        RETURN false;
      END IF;
      EXECUTE ${at(`LOCK TABLE ${interactions} IN SHARE ROW EXCLUSIVE MODE`)};
      EXECUTE ${at(dropTriggers(ofShard))};
      EXECUTE ${at(reset)};
      EXECUTE ${at(first)} INTO first_number;
      EXECUTE format(statements, shard, first_number, ${metadataShardOf(names, "key")});
      RETURN true;
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.dropLeftSums}(key text) RETURNS boolean ${head} AS ${sqlText(`
    DECLARE
      shard text;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(hashtextextended(${sqlText(`perdura left ${names.schema}`)}, 0)) THEN
        RETURN false;
      END IF;
      FOR shard IN
        SELECT substring(relname FROM '[0-9]+$') FROM pg_class
        WHERE relnamespace = ${sqlText(sqlName(names.schemaName))}::regnamespace AND relkind = 'r' AND relname ~ '^perdura_rollup_[0-9]+$'
      LOOP
        IF to_regclass(${at(interactions)}) IS NULL THEN
          EXECUTE ${at(dropSums(ofShard))};
          EXECUTE ${at(dropFunctions(ofShard))};
        END IF;
      END LOOP;
      RETURN true;
    END`)}`,
  ];
}

function dropFunctions(ofShard: Names): string {
  const { currentLevel, userSums, globalSums, allUsers, userTrend, globalTrend, overview, topUsers } = ofShard;
  const { fold, recount, keepOwn, ownNumber, markStale, markAllStale, markMetadataStale, sumsValid } = ofShard;
  const questions = [currentLevel, userSums, globalSums, allUsers, userTrend, globalTrend, overview, topUsers];
  const others = [fold, recount, keepOwn, ownNumber, markStale, markAllStale, markMetadataStale, sumsValid];
  return `DROP FUNCTION IF EXISTS ${[...questions, ...others].join(", ")}`;
}

const CHANGING =
  "LANGUAGE plpgsql SET search_path = pg_catalog SET plan_cache_mode = force_custom_plan SET jit = off AS";

const run = (statements: readonly string[]): string => statements.map((statement) => `${statement};`).join("\n");

/**
 * A function that adds about as many ended rows as asked to the sums, in the transaction of its caller, which sees one
 * moment. True if more rows remain; null if the sums are not valid, or are of other keys than the declared ones. Unknown
 * declared keys (null) are not compared.
 */
function foldFunction(names: Names, known: string, sums: KeySums | undefined): string {
  const piece = addSums(names, "recorded_by >= begin_at AND recorded_by < end_at", "end_at");
  return `CREATE OR REPLACE FUNCTION ${names.fold}(rows_at_once bigint, declared text) RETURNS boolean ${CHANGING} ${sqlText(`
    #variable_conflict use_column
    DECLARE
      begin_at bigint;
      end_at bigint;
      next_at bigint;
      is_added boolean;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(hashtextextended(${sqlText(foldLock(names))}, 0)) THEN
        RETURN false;
      END IF;
      IF declared <> ${sqlText(known)}${sums === undefined ? "" : ` OR NOT ${areKeysIntact(names)}`} THEN
        RETURN NULL;
      END IF;${
        sums === undefined
          ? ""
          : `
      IF NOT ${mayRead([names.interactionMetadata, ...sumsOfKeys(names)])} THEN
        RETURN false;
      END IF;`
      }
      SELECT watermark, ${horizon(names)} INTO begin_at, end_at FROM ${names.rollup} WHERE ${names.sumsValid}();
      IF begin_at IS NULL THEN
        RETURN NULL;
      END IF;
      IF ${anyStale(names)} THEN
        ${run(recountStaleUsers(names, sums))}
      END IF;
      IF end_at <= begin_at THEN
        RETURN false;
      END IF;
      next_at := (${endOfPiece(names, "begin_at", "end_at", "rows_at_once")});
      end_at := coalesce(next_at, end_at);
      ${piece};
      is_added := FOUND;${sums === undefined ? "" : addPieceToKeys(sums)}
      RETURN is_added AND next_at IS NOT NULL;
    END`)}`;
}

function addPieceToKeys(sums: KeySums): string {
  const { names } = sums;
  return `
      ${addToKeys(sums, "i.recorded_by >= begin_at AND i.recorded_by < end_at", "true")};
      IF FOUND THEN
        ${run(removeSums(names, unsummedKeys(names)))}
      END IF;
      UPDATE ${names.summedKeys} SET watermark = end_at WHERE is_summed;`;
}

/** A function that compares the sums with all rows, and corrects them if asked. Sums that are not valid are not compared. */
function recountFunction(names: Names, sums: KeySums | undefined): string {
  const either = (of: (sums?: KeySums) => string): string =>
    sums === undefined
      ? of()
      : `CASE WHEN ${areKeysIntact(names)} AND ${mayUseKeys(names)} THEN ${of(sums)} ELSE ${of()} END`;
  return `CREATE OR REPLACE FUNCTION ${names.recount}(corrects boolean)
    RETURNS TABLE (wrong_users text[], wrong_totals boolean) ${CHANGING} ${sqlText(`
    #variable_conflict use_column
    BEGIN
      IF corrects THEN
        PERFORM pg_advisory_xact_lock(hashtextextended(${sqlText(foldLock(names))}, 0));
      END IF;
      wrong_users := '{}';
      wrong_totals := false;
      IF EXISTS (SELECT 1 FROM ${names.rollup} WHERE ${names.sumsValid}()) THEN
        wrong_users := ${either((keys) => `ARRAY(${wrongUsers(names, keys)})`)};
        wrong_totals := ${either((keys) => `(${wrongTotals(names, keys)})`)};
      END IF;
      IF corrects AND (wrong_totals OR wrong_users <> '{}') THEN
        INSERT INTO ${names.staleUsers} (user_id) SELECT unnest(wrong_users) ON CONFLICT DO NOTHING;
        ${run(recountStaleUsers(names, sums))}
        ${run(replaceTotals(names, sums))}
      END IF;
      RETURN NEXT;
    END`)}`;
}
