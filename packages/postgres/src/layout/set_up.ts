import { CorruptDataError, StorageError, UnsupportedFormatError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { Connection, Session } from "../connection/connection.ts";
import { codeOf, isBusy, isUnwritable } from "../connection/failures.ts";
import { referenceTables } from "./distributed_tables.ts";
import { areKeysIntact, hasKeys, mayUseKeys, resetKeys } from "./key_tables.ts";
import { LAYOUT_VERSION, metaTable, recordVersion } from "./meta_table.ts";
import { distributedFunctions, functions, metricsTables, resetSums } from "./metrics_tables.ts";
import { keepOwnRows, mayUseSums } from "./own_rows.ts";
import { type Names, namesIn } from "./names.ts";
import { patternTables } from "./pattern_tables.ts";
import { dropSumsOfShards } from "./shard_sums.ts";
import { tableId } from "./sums_tables.ts";

/** Longest wait for a lock on the table `interactions` while its sums are reset, in milliseconds. */
const SHORT_WAIT_MS = 200;

/** The existing tables. */
export interface Tables {
  /** Names of the tables and functions. */
  names: Names;
  /** True if `interactions` is partitioned or distributed; its metadata then have a column for the user. */
  isSpread: boolean;
  /** True if the tables are distributed over the workers of a cluster. */
  isDistributed: boolean;
}

/** Content of the schema. */
interface Found {
  /** The name of the schema when its functions were created, in quotes; null if it is the same. */
  formerName: string | null;
  /** False if the role may not use the sums; see {@link mayUseSums}. */
  mayUseSums: boolean;
  /** False if the row with the version is missing, as after a restore of the schema without data. */
  hasVersion: boolean;
  /** Number of hash partitions of `interactions`; 0 if it is not partitioned. */
  partitions: number;
  /** True if keys of metadata were declared. */
  hasKeys: boolean;
  /** False if the role may use the sums by key, and changes of metadata may not have been noticed. */
  areKeysIntact: boolean;
  /** The engine over whose workers `interactions` is distributed; null if it is not. */
  distributed: string | null;
}

/** Validity of the sums. */
interface Sums {
  /** True if there are sums that were computed for this table in this cluster. */
  exist: boolean;
  /** True if all changes of rows since then were noticed. */
  areTrusted: boolean;
}

/**
 * Searches for the tables. Creates nothing.
 *
 * @returns Undefined if the tables do not exist.
 * @throws UnsupportedFormatError if another version of perdura created them.
 */
export async function findTables(connection: Connection): Promise<Tables | undefined> {
  const names = namesIn(connection.options.schema);
  const found = await find(connection, names, connection);
  if (found !== undefined && found.formerName !== null) throw schemaRenamed(names, found.formerName, connection);
  return found && tablesOf(names, found);
}

/**
 * Creates missing tables, and restores what a restore of a dump or another program removed from existing ones, in one
 * transaction. Any number of programs may start at the same time: the first one does the work, and the others wait.
 */
export async function ensureTables(connection: Connection): Promise<Tables> {
  const names = namesIn(connection.options.schema);
  const found = await find(connection, names, connection);
  if (found !== undefined && (await isComplete(connection, names, found))) return tablesOf(names, found);
  try {
    return await connection.transaction("write", (session) => completeTables(session, names, connection));
  } catch (error) {
    if (found !== undefined && found.formerName !== null && isUnwritable(error))
      throw schemaRenamed(names, found.formerName, connection, error);
    // The tables can be used: without valid sums, each question counts all rows.
    if (found?.hasVersion !== true || !(isUnwritable(error) || isBusy(error))) throw error;
    return tablesOf(names, found);
  }
}

/** True if the version is recorded and the sums are valid. */
async function isComplete(session: Session, names: Names, found: Found): Promise<boolean> {
  if (!found.hasVersion || found.formerName !== null) return false;
  // The sums of distributed tables are in their shards, where a fold looks for them.
  if (found.distributed !== null || !found.mayUseSums) return true;
  if (!found.areKeysIntact) return false;
  const sums = await readSums(session, names);
  return sums.exist && sums.areTrusted;
}

const NO_SPREAD = { partitions: 0, distributed: null };

function tablesOf(names: Names, { partitions, distributed }: Pick<Found, "partitions" | "distributed">): Tables {
  return { names, isSpread: partitions > 0 || distributed !== null, isDistributed: distributed !== null };
}

/** Waits until no other program creates or changes the tables, and excludes them until the end of the transaction. */
export async function lockSetUp(session: Session, names: Names): Promise<void> {
  await session.query(`SELECT pg_advisory_xact_lock(hashtextextended(${sqlText(`perdura ${names.schema}`)}, 0))`);
}

async function completeTables(session: Session, names: Names, connection: Connection): Promise<Tables> {
  await lockSetUp(session, names);
  const found = await find(session, names, connection);
  if (found === undefined) {
    const { partitions = 0, distributed = null } = connection.options;
    await createAll(session, names, connection);
    return tablesOf(names, { partitions, distributed });
  }
  const tables = tablesOf(names, found);
  if (await isComplete(session, names, found)) return tables;
  // A policy would keep rows from the statements, so they fail instead.
  await session.query("SET LOCAL row_security = off");
  // Other programs that record need not wait, because the sums can be reset later.
  if (found.hasVersion) await session.query(`SET LOCAL lock_timeout = ${SHORT_WAIT_MS}`);
  const { place, options } = connection;
  await permitted(`change the tables in the schema ${options.schema}`, place, async () => {
    if (found.distributed !== null) return completeShards(session, names, place);
    if (found.formerName !== null) await runAll(session, [...functions(names), ...keepOwnRows(names)]);
    const { exist, areTrusted } = await readSums(session, names);
    const onlyKeys = found.hasVersion && found.formerName === null && exist && areTrusted;
    if (!onlyKeys) await runAll(session, [recordVersion(names), ...resetSums(names, !exist)]);
    if (found.hasKeys) await runAll(session, resetKeys(names, tables.isSpread));
  });
  return tables;
}

/** Replaces the functions of a renamed schema; the shards make their sums again. */
async function completeShards(session: Session, names: Names, place: string): Promise<void> {
  await runAll(session, [recordVersion(names), ...distributedFunctions(names)], true);
  const [failed] = await session.query<{ result: string }>(dropSumsOfShards(names));
  if (failed !== undefined)
    throw new StorageError(`the sums of a shard cannot be dropped: ${failed.result}. Nothing was changed.`, {
      path: place,
    });
}

/**
 * Restores the triggers and resets the sums if changes of rows may not have been noticed.
 *
 * @returns The tables, of which the shards have the triggers and the sums if they are distributed; if the role may use the
 * sums, and if keys were declared.
 */
export async function resetSumsIfInvalid(
  connection: Connection,
  names: Names,
): Promise<Tables & Pick<Found, "mayUseSums" | "hasKeys">> {
  const found = await find(connection, names, connection);
  if (found !== undefined && !(await isComplete(connection, names, found)))
    await connection.transaction("write", (session) => completeTables(session, names, connection));
  if (found === undefined) return { ...tablesOf(names, NO_SPREAD), mayUseSums: false, hasKeys: false };
  return { ...tablesOf(names, found), mayUseSums: found.mayUseSums, hasKeys: found.hasKeys };
}

/** Reads nothing but the version before it is known, because other versions may have other tables. */
async function find(session: Session, names: Names, connection: Connection): Promise<Found | undefined> {
  // Not `to_regclass`, which may return a result from before the wait for a lock.
  const [present] = await session.query(
    `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relname = 'perdura_meta'`,
    [names.schemaName],
  );
  if (present === undefined) return undefined;
  const [row] = await session.query<Omit<Found, "hasVersion"> & { version: string | null; metaIsHidden: boolean }>(
    `SELECT (SELECT value FROM ${names.meta} WHERE key = 'layout_version') AS version,
       (SELECT value FROM ${names.meta} WHERE key = 'distributed') AS distributed,
       ${mayUseSums(names)} AS "mayUseSums",
       ${hasKeys(names)} AS "hasKeys",
       NOT ${hasKeys(names)} OR (${mayUseKeys(names)}) IS NOT TRUE OR ${areKeysIntact(names)} AS "areKeysIntact",
       ${formerName(names)} AS "formerName",
       row_security_active(${sqlText(names.meta)}) AS "metaIsHidden",
       (SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(${sqlText(names.interactions)})) AS partitions`,
  );
  if (row === undefined) return undefined;
  const { version, metaIsHidden, ...rest } = row;
  if (version === null && metaIsHidden) throw versionHidden(names, connection);
  assertVersion(version, connection);
  const found = { ...rest, hasVersion: version !== null };
  assertOptionsMatch(found, connection);
  return found;
}

/**
 * SQL for the name of the schema when its functions were created, in quotes; null if it is the same. Functions contain
 * the name of their schema, which `ALTER SCHEMA … RENAME` does not change.
 */
function formerName({ schema }: Names): string {
  // All are created together. In some, the name is part of a text, in which its quotation marks are doubled.
  return `(SELECT min(substring(prosrc FROM '("(?:[^"]|"")+")\\.perdura_')) FROM pg_proc
         WHERE pronamespace = to_regnamespace(${sqlText(schema)}) AND proname LIKE 'perdura\\_%'
         HAVING NOT bool_or(strpos(prosrc, ${sqlText(`${schema}.perdura_`)}) > 0))`;
}

/** The error for a schema whose functions name another one, and cannot be replaced by this call. */
function schemaRenamed(
  { schema, schemaName }: Names,
  former: string,
  { place }: Connection,
  cause?: unknown,
): CorruptDataError {
  return new CorruptDataError(
    `the functions in the schema ${schemaName} were created when its name was ${former}, and would use the schema of that name. A program that connects as the owner of the tables replaces them when it records or asks; or rename the schema back: ALTER SCHEMA ${schema} RENAME TO ${former}. Nothing was read or changed.`,
    { path: place, cause },
  );
}

function versionHidden({ meta }: Names, { place }: Connection): StorageError {
  return new StorageError(
    `row-level security hides the version of the tables from this role. The owner can let every role read it with: CREATE POLICY everyone ON ${meta} FOR SELECT USING (true). Nothing was changed.`,
    { path: place },
  );
}

async function readSums(session: Session, names: Names): Promise<Sums> {
  const [sums] = await session.query<Sums>(
    `SELECT EXISTS (SELECT 1 FROM ${names.rollup} WHERE table_id = ${tableId(names)}) AS exist,
       ${names.sumsValid}() AS "areTrusted"`,
  );
  if (sums === undefined) throw new Error("The state of the sums must be one row.");
  return sums;
}

function assertVersion(version: string | null, { place, options: { schema } }: Connection): void {
  if (version === null || version === `${LAYOUT_VERSION}`) return;
  const support = `this program supports version ${LAYOUT_VERSION}.`;
  throw new UnsupportedFormatError(
    /^[1-9]\d*$/.test(version)
      ? `the schema ${schema} has version ${version} of the tables; ${support} Use a newer version of perdura. Nothing was changed.`
      : `the schema ${schema} has tables whose version is ${describe(version)}, which is not a version; ${support} Nothing was changed.`,
    { path: place },
  );
}

function assertOptionsMatch(found: Found, { place, options }: Connection): void {
  const { schema, partitions = 0 } = options;
  if (options.partitions !== undefined && found.partitions !== partitions) {
    throw new CorruptDataError(
      `the table interactions in the schema ${schema} has ${found.partitions} partitions, but the option partitions is ${partitions}. Nothing was changed.`,
      { path: place },
    );
  }
  if (options.distributed !== undefined && found.distributed !== options.distributed) {
    throw new CorruptDataError(
      `the tables in the schema ${schema} are not distributed, but the option distributed is ${options.distributed}. Nothing was changed.`,
      { path: place },
    );
  }
}

async function createAll(session: Session, names: Names, { place, options }: Connection): Promise<void> {
  const { schema, createSchema, partitions, distributed } = options;
  const [present] = await session.query(`SELECT 1 FROM pg_namespace WHERE nspname = $1`, [schema]);
  if (present === undefined && !createSchema) {
    throw new StorageError(
      `the schema ${schema} does not exist, and createSchema is false. Create it with: CREATE SCHEMA ${names.schema}. Nothing was created.`,
      { path: place },
    );
  }
  if (distributed !== undefined) await prepareCluster(session, place);
  const what = present === undefined ? `create the schema ${schema}` : `create tables in the schema ${schema}`;
  await permitted(what, place, async () => {
    // Checked first, because the statement requires the privilege even if the schema exists.
    if (present === undefined) await session.query(`CREATE SCHEMA ${names.schema}`);
    const statements = [
      ...metaTable(names, distributed),
      ...patternTables(names),
      ...(distributed === undefined ? [] : referenceTables(names)),
      ...metricsTables(names, schema, { partitions, distributed }),
    ];
    await runAll(session, statements, distributed !== undefined);
  });
}

/** Looks for Citus, and lets it create the tables of one transaction one after the other. */
async function prepareCluster(session: Session, place: string): Promise<void> {
  const [found] = await session.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`);
  if (found === undefined)
    throw new StorageError(
      "the database has no extension citus, which the option distributed needs. Nothing was created.",
      { path: place },
    );
  // Otherwise statements about patterns would run on a worker, which has sequences of its own.
  const [unregistered] = await session.query(
    "SELECT 1 FROM pg_dist_node HAVING count(*) > 0 AND count(*) FILTER (WHERE groupid = 0) = 0",
  );
  if (unregistered !== undefined)
    throw new StorageError(
      "the coordinator is not registered in its cluster. An administrator can do so with: SELECT citus_set_coordinator_host('name of the coordinator', 5432). Nothing was created.",
      { path: place },
    );
  // Otherwise a worker would read a backslash in a text as the beginning of an escape.
  const escaping = await session.query(
    "SELECT 1 FROM run_command_on_workers('SHOW standard_conforming_strings') WHERE success AND result <> 'on'",
  );
  if (escaping.length > 0)
    throw new StorageError(
      "standard_conforming_strings is off for this role on a worker, which changes texts with backslashes. Set it to on. Nothing was created.",
      { path: place },
    );
  await session.query("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'");
  // With copies of shards, Citus refuses foreign keys.
  await session.query("SET LOCAL citus.shard_replication_factor TO 1");
}

/** Runs a task that needs privileges; if one is missing, the error names the task. */
async function permitted(what: string, place: string, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (codeOf(error) !== "42501") throw error;
    throw new StorageError(`the role may not ${what}: ${(error as Error).message}. Nothing was changed.`, {
      path: place,
      cause: error,
    });
  }
}

/** Runs statements in one round trip; on a cluster each in its own, because Citus plans single statements. */
async function runAll(session: Session, statements: readonly string[], isDistributed = false): Promise<void> {
  for (const each of isDistributed ? statements : [statements.join(";\n")]) await session.query(each);
}
