import { setTimeout } from "node:timers/promises";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { REWRITTEN_UP_TO } from "@perdura/internals/sqlite/compact.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { Connection } from "../connection/connection.ts";
import { copiesLeft, MOST_ATTEMPTS, notErasable, PAUSE_MS, rewrite } from "./erase_tables.ts";
import type { Names } from "./names.ts";
import { dropSumsOfShards } from "./shard_sums.ts";
import { monotonicMs } from "@perdura/internals/runtime/monotonic.js";

/**
 * SQL for the results of a statement at each shard of a table, and at each copy of a reference table, with its node.
 *
 * @param statement SQL with the name of the shard as `%1$L`.
 */
const atShards = (table: string, statement: string): string =>
  `(SELECT nodename || ':' || nodeport AS node, success, result
    FROM run_command_on_placements(${sqlText(table)}, ${sqlText(statement)})) AS asked`;

/** SQL for the 64-bit number of a transaction that is not older than its server's two billion newest ones. */
const numberOf = (xid: string): string => `pg_current_xact_id()::text::bigint - age(${xid})`;

/** @throws StorageError if an administrator has to erase: the role does not own the tables, or they are large. */
export async function assertShardsErasable(
  connection: Connection,
  tables: readonly string[],
  commands: readonly string[],
): Promise<void> {
  const [all] = await connection.query<{ size: number; may: boolean }>(
    `SELECT sum(citus_total_relation_size(oid))::bigint AS size, bool_and(pg_has_role(relowner, 'USAGE')) AS may
     FROM pg_class WHERE oid = ANY ($1::text[]::regclass[])`,
    [tables],
  );
  const size = all?.size ?? 0;
  if (all?.may !== true || size > REWRITTEN_UP_TO)
    throw notErasable(connection.place, all?.may === true ? size : undefined, commands);
}

/** Drops the sums of the shards, which a fold makes again from the remaining rows. */
export async function dropSums(connection: Connection, names: Names): Promise<void> {
  const [failed] = await connection.query<{ result: string }>(dropSumsOfShards(names));
  if (failed !== undefined)
    throw new StorageError(
      `the interactions were deleted, but the sums of a shard cannot be dropped: ${failed.result}`,
      {
        path: connection.place,
        mayBeWritten: true,
      },
    );
}

/**
 * Rewrites the shards of tables like those of one server; each server of shards has transactions of its own.
 *
 * @throws BusyError if copies are left.
 */
export async function eraseFromShards(connection: Connection, tables: readonly string[], what: string): Promise<void> {
  const [table = ""] = tables;
  const last = await connection.query<{ node: string; last: string }>(
    `SELECT node, max(result::bigint)::text AS last FROM ${atShards(table, "SELECT pg_current_xact_id()")} GROUP BY node`,
  );
  /** True if a number at a shard is not above that of the last transaction. */
  const isAnyOlder = async (of: string, statement: string): Promise<boolean> => {
    const rows = await connection.query(
      `SELECT 1 FROM ${atShards(of, statement)} LEFT JOIN unnest($1::text[], $2::bigint[]) AS known (node, last) USING (node)
       WHERE (success AND result::bigint > last) IS NOT TRUE LIMIT 1`,
      [last.map(({ node }) => node), last.map(({ last: number }) => number)],
    );
    return rows.length > 0;
  };
  const versions = `SELECT ${numberOf("relfrozenxid")} FROM pg_class WHERE oid = %1$L::regclass`;
  const readers = `SELECT min(${numberOf("oldest")}) FROM pg_stat_activity, LATERAL (
    SELECT backend_xid UNION ALL SELECT CASE WHEN datname = current_database() OR datname IS NULL THEN backend_xmin END
    UNION ALL SELECT pg_current_xact_id()::xid) AS of (oldest)`;
  for (let attempts = 0; ; attempts += 1) {
    const left: string[] = [];
    for (const each of tables) if (await isAnyOlder(each, versions)) left.push(each);
    if (left.length === 0) return;
    if (attempts === MOST_ATTEMPTS)
      throw copiesLeft(connection.place, what, "an older transaction or a replication slot may still read them");
    const end = monotonicMs() + connection.options.busyTimeoutMs;
    while (monotonicMs() < end && (await isAnyOlder(table, readers))) await setTimeout(PAUSE_MS);
    await rewrite(connection, left);
  }
}
