import { setTimeout } from "node:timers/promises";
import { BusyError, StorageError } from "@perdura/internals/errors/errors.js";
import { REWRITTEN_UP_TO } from "@perdura/internals/sqlite/compact.js";
import { type Connection, sessionOn } from "../connection/connection.ts";
import { isConnectionLost } from "../connection/failures.ts";
import { monotonicMs } from "@perdura/internals/runtime/monotonic.js";

/** SQL for the tables in the first parameter with their partitions: rows of `pg_class`. */
const PARTS = `SELECT name, of.* FROM unnest($1::text[]) AS name, pg_class AS of
  WHERE of.relkind = 'r' AND (of.oid = name::regclass
    OR of.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = name::regclass))`;

/** SQL that leaves no row version of a deleted row in the files of a table. */
export const rewriteOf = (table: string): string => `VACUUM (FULL, ANALYZE) ${table}`;

/** @throws StorageError if an administrator has to erase: the role may not, or the tables are large. */
export async function assertErasable(connection: Connection, tables: readonly string[]): Promise<void> {
  const [all] = await connection.query<{ size: number; may: boolean }>(
    `SELECT sum(pg_total_relation_size(oid))::bigint AS size, bool_and(pg_has_role(relowner, 'USAGE')
       OR (SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database())
       OR CASE WHEN current_setting('server_version_num')::integer >= 170000
         THEN has_table_privilege(oid, 'MAINTAIN') ELSE false END) AS may
     FROM (${PARTS}) AS parts`,
    [tables],
  );
  const size = all?.size ?? 0;
  if (all?.may === true && size <= REWRITTEN_UP_TO) return;
  throw notErasable(connection.place, all?.may === true ? size : undefined, tables.map(rewriteOf));
}

/** @param size Undefined if the role may not rewrite the tables. */
export function notErasable(path: string, size: number | undefined, commands: readonly string[]): StorageError {
  const why =
    size === undefined
      ? "erasing rewrites the tables, which only their owner may do"
      : `erasing rewrites the tables, which all other programs wait for, and they have ${Math.ceil(size / 2 ** 20)} MiB, more than ${REWRITTEN_UP_TO / 2 ** 20}`;
  return new StorageError(
    `${why}. Nothing was deleted. Delete without the option erase. Then let an administrator run, when no older transaction is open: ${commands.join("; ")}`,
    { path },
  );
}

/**
 * Rewrites the tables, because PostgreSQL keeps deleted rows in their files. It also keeps those that an older
 * transaction, a replication slot or a prepared transaction may still read; this shows in the oldest transaction
 * that the rewritten table is still valid for.
 *
 * @throws BusyError if copies are left.
 */
export async function eraseRowVersions(connection: Connection, tables: readonly string[], what: string): Promise<void> {
  const last = await lastTransaction(connection);
  // A transaction that is just beginning may belong to any database, so that one attempt is not enough.
  for (let attempts = 0; ; attempts += 1) {
    const left = await connection.query<{ name: string }>(
      `SELECT DISTINCT name FROM (${PARTS}) AS parts WHERE age(relfrozenxid) >= age($2::xid8::xid)`,
      [tables, last],
    );
    if (left.length === 0) return;
    if (attempts === MOST_ATTEMPTS)
      throw copiesLeft(connection.place, what, "an older transaction or a replication slot may still read them");
    await waitForReaders(connection, last);
    await rewrite(
      connection,
      left.map(({ name }) => name),
    );
  }
}

/** The number of a transaction that is newer than all deletions of this connection. */
export async function lastTransaction(connection: Connection): Promise<string> {
  const [now] = await connection.query<{ last: string }>("SELECT pg_current_xact_id()::text AS last");
  return now?.last ?? "0";
}

/** Maximum number of times that a table is rewritten. */
export const MOST_ATTEMPTS = 3;

/** Not possible in a transaction. */
export async function rewrite(connection: Connection, tables: readonly string[]): Promise<void> {
  const client = await connection.client();
  let broken = false;
  try {
    for (const table of tables) await sessionOn(client).query(rewriteOf(table));
  } catch (error) {
    broken = isConnectionLost(error);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Time between two looks at the transactions of other programs, in milliseconds. */
export const PAUSE_MS = 20;

/**
 * Waits for transactions of this role that began before the rows were deleted, up to the busy time-out: those that may
 * read the rows, and those of any database that write, because no later snapshot is newer than they are.
 */
async function waitForReaders(connection: Connection, last: string): Promise<void> {
  const end = monotonicMs() + connection.options.busyTimeoutMs;
  const readers = `SELECT 1 FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND (age(backend_xid) >= age($1::xid8::xid)
      OR (datname = current_database() OR datname IS NULL) AND age(backend_xmin) >= age($1::xid8::xid)) LIMIT 1`;
  while ((await connection.query(readers, [last])).length > 0 && monotonicMs() < end) await setTimeout(PAUSE_MS);
}

export function copiesLeft(path: string, what: string, why: string): BusyError {
  return new BusyError(
    `the ${what} were deleted, but the tables still contain copies of them: ${why}. Call again later.`,
    { path, mayBeWritten: true },
  );
}
