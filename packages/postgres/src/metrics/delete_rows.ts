import { StorageError } from "@perdura/internals/errors/errors.js";
import type { Deleted } from "@perdura/internals/metrics/deletion/deletion.js";
import type { CheckedDeletion, RowsToDelete } from "@perdura/internals/metrics/deletion/deletion_arguments.js";
import { laterDay } from "@perdura/internals/metrics/deletion/later_day.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { Connection, Session } from "../connection/connection.ts";
import { RowLeftOut } from "../connection/failures.ts";
import { assertShardsErasable, eraseFromShards } from "../layout/erase_shards.ts";
import { assertErasable, eraseRowVersions, rewriteOf } from "../layout/erase_tables.ts";
import { mayLeaveOut } from "../layout/left_out.ts";
import type { Names } from "../layout/names.ts";
import type { Tables } from "../layout/set_up.ts";
import { eraseInteractionsFromShards, erasureOfShards, eraseUsers, tablesOfUsers } from "./erase.ts";
import { fold } from "./fold.ts";
import { isStorable } from "../connection/storable.ts";
import { countOrphanedMetadata, deleteOrphanedMetadata } from "./orphaned_metadata.ts";

/** Number of rows of a transaction: it holds their locks for less than a second. */
const ROWS_AT_ONCE = 4000;

const [LOWEST, HIGHEST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** SQL for the rows to delete, with the values of its parameters. */
interface Condition {
  sql: string;
  values: unknown[];
}

/**
 * Deletes interactions with their metadata, in transactions of some rows each. Their users are then stale, so that every
 * answer is right after each transaction. At the end the sums are updated, if the role may do that.
 */
export async function deleteRows(connection: Connection, tables: Tables, asked: CheckedDeletion): Promise<Deleted> {
  const { names } = tables;
  if (asked.orphans === true) return deleteOrphans(connection, tables, asked);
  if (asked.userId !== undefined && !isStorable(asked.userId)) return { interactions: 0, metadata: 0 };
  if (asked.erase) await assertInteractionsErasable(connection, tables);
  const condition = await conditionOf(connection, tables, asked);
  const deleted = await deletePieces(connection, tables, condition, asked.report);
  if (asked.erase && tables.isDistributed) await eraseInteractionsFromShards(connection, names);
  if (deleted.interactions > 0 || asked.erase) await fold(connection, names);
  if (asked.erase && !tables.isDistributed) await eraseUsers(connection, names, asked.userId);
  return deleted;
}

async function assertInteractionsErasable(connection: Connection, { names, isDistributed }: Tables): Promise<void> {
  if (!isDistributed) return assertErasable(connection, await tablesOfUsers(connection, names));
  const commands = await erasureOfShards(connection, names);
  await assertShardsErasable(connection, [names.interactions, names.interactionMetadata], commands);
}

async function deleteOrphans(
  connection: Connection,
  tables: Tables,
  { erase, report }: CheckedDeletion,
): Promise<Deleted> {
  const ofMetadata = [tables.names.interactionMetadata];
  if (erase && tables.isDistributed) await assertShardsErasable(connection, ofMetadata, ofMetadata.map(rewriteOf));
  else if (erase) await assertErasable(connection, ofMetadata);
  const metadata = await deleteOrphanedMetadata(connection, tables);
  report?.(metadata, metadata, metadata);
  if (erase) await (tables.isDistributed ? eraseFromShards : eraseRowVersions)(connection, ofMetadata, "metadata");
  return { interactions: 0, metadata };
}

/** Counts what a deletion would delete. */
export async function countDue(connection: Connection, tables: Tables, rows: RowsToDelete): Promise<Deleted> {
  if (rows.orphans === true) return { interactions: 0, metadata: await countOrphanedMetadata(connection, tables) };
  if (rows.userId !== undefined && !isStorable(rows.userId)) return { interactions: 0, metadata: 0 };
  const { names, isSpread } = tables;
  const due = withRows(names, { sql: "true", values: [] }, rows);
  return connection.transaction("read", async (session) => {
    const [described] = await session.query<{ metadata: number }>(
      `SELECT count(*) AS metadata FROM ${names.interactionMetadata} AS m JOIN (
         SELECT id, user_id FROM ${names.interactions} WHERE ${due.sql}) AS due ON due.id = m.interaction_id${isSpread ? " AND due.user_id = m.user_id" : ""}`,
      due.values,
    );
    return { interactions: await countRows(session, names, due), metadata: described?.metadata ?? 0 };
  });
}

async function deletePieces(
  connection: Connection,
  tables: Tables,
  condition: Condition,
  report: CheckedDeletion["report"],
): Promise<Deleted> {
  const total = report === undefined ? 0 : await countRows(connection, tables.names, condition);
  const deleted: Deleted = { interactions: 0, metadata: 0 };
  for (let next: bigint | undefined = LOWEST; next !== undefined;) {
    const from: bigint = next;
    const piece = await connection.transaction(tables.isDistributed ? "moment" : "write", (session) =>
      deletePiece(session, tables, condition, from),
    );
    deleted.interactions += piece.interactions;
    deleted.metadata += piece.metadata;
    report?.(deleted.interactions, total, deleted.metadata);
    next = piece.next;
  }
  return deleted;
}

async function countRows(session: Session, names: Names, { sql, values }: Condition): Promise<number> {
  const [row] = await session.query<{ rows: number }>(
    `SELECT count(*) AS rows FROM ${names.interactions} WHERE ${sql}`,
    values,
  );
  return row?.rows ?? 0;
}

/**
 * Deletes the next rows in the order of their ids. All rows with the last id are included: several users may have it.
 *
 * @returns The id that the next piece begins with; undefined after the last piece.
 */
async function deletePiece(
  session: Session,
  tables: Tables,
  { sql, values }: Condition,
  from: bigint,
): Promise<Deleted & { next: bigint | undefined }> {
  const { names } = tables;
  const [first, last] = [`$${values.length + 1}::bigint`, `$${values.length + 2}::bigint`];
  const [found] = await session.query<{ rows: number; last: string | null }>(
    `SELECT count(*) AS rows, max(id)::text AS last FROM (
       SELECT id FROM ${names.interactions} WHERE ${sql} AND id >= ${first} ORDER BY id LIMIT ${ROWS_AT_ONCE}) AS piece`,
    [...values, `${from}`],
  );
  if (found === undefined || found.last === null) return { interactions: 0, metadata: 0, next: undefined };
  const due = { sql: `${sql} AND id BETWEEN ${first} AND ${last}`, values: [...values, `${from}`, found.last] };
  const deleted = await (tables.isDistributed ? deleteFromShards : deleteDue)(session, tables, due);
  // Rows may be gone already, or be those that a policy keeps.
  if (deleted.interactions < found.rows && (await mayLeaveOut(session, names.interactions)))
    throw new RowLeftOut("interactions");
  const id = BigInt(found.last);
  return {
    ...deleted,
    next: found.rows < ROWS_AT_ONCE || id === HIGHEST ? undefined : id + 1n,
  };
}

/** Deletes rows in one statement. The foreign key removes their metadata at its end. */
async function deleteDue(session: Session, { names, isSpread }: Tables, { sql, values }: Condition): Promise<Deleted> {
  const [first, last] = [`$${values.length - 1}::bigint`, `$${values.length}::bigint`];
  const [deleted] = await session.query<Deleted>(
    `WITH gone AS (DELETE FROM ${names.interactions} WHERE ${sql} RETURNING id, user_id)
     SELECT (SELECT count(*) FROM gone) AS interactions, (
       SELECT count(*) FROM ${names.interactionMetadata} AS m JOIN gone ON gone.id = m.interaction_id${isSpread ? " AND gone.user_id = m.user_id" : ""}
       WHERE m.interaction_id BETWEEN ${first} AND ${last}) AS metadata`,
    values,
  );
  return deleted ?? { interactions: 0, metadata: 0 };
}

/**
 * The same on a cluster, which would send the deleted rows to every worker, and count metadata that are gone. The
 * transaction sees one moment of each shard, so that both statements concern the same rows.
 */
async function deleteFromShards(session: Session, { names }: Tables, { sql, values }: Condition): Promise<Deleted> {
  const [described] = await session.query<{ metadata: number }>(
    `SELECT count(*) AS metadata FROM ${names.interactionMetadata} AS m
     JOIN (SELECT id, user_id FROM ${names.interactions} WHERE ${sql}) AS due ON due.user_id = m.user_id AND due.id = m.interaction_id`,
    values,
  );
  const [gone] = await session.query<{ interactions: number }>(
    `WITH gone AS (DELETE FROM ${names.interactions} WHERE ${sql} RETURNING 1) SELECT count(*) AS interactions FROM gone`,
    values,
  );
  return { interactions: gone?.interactions ?? 0, metadata: described?.metadata ?? 0 };
}

/** The condition for rows that exist when this call begins, in transactions that have ended. */
async function conditionOf(connection: Connection, tables: Tables, rows: RowsToDelete): Promise<Condition> {
  const { names } = tables;
  const [role] = await connection.query<{ may: boolean }>(
    `SELECT has_table_privilege(${sqlText(names.interactions)}, 'DELETE') AS may`,
  );
  if (role?.may !== true) throw mayNotDelete(names, connection.place);
  const present = await (tables.isDistributed ? presentInShards : presentRows)(connection, names);
  return withRows(names, present, rows);
}

/** The condition that also chooses the rows of a deletion. */
function withRows(names: Names, present: Condition, { userId, before }: RowsToDelete): Condition {
  const values = [...present.values];
  const parameter = (value: unknown): string => `$${values.push(value)}::text`;
  const conditions = [present.sql];
  if (userId !== undefined) conditions.push(`user_id = ${parameter(userId)}`);
  if (before !== undefined) {
    conditions.push(`timestamp < ${parameter(laterDay(before))}`);
    conditions.push(`${names.moment}(timestamp) < ${parameter(before)}`);
  }
  return { sql: conditions.join(" AND "), values };
}

/**
 * The number of a transaction decides: ids are given before the end of a transaction, and other programs may choose them.
 * A number that no transaction of this time has is another cluster's, and its row is old.
 */
async function presentRows(connection: Connection): Promise<Condition> {
  const [now] = await connection.query<{ snapshot: string; oldest: string }>(
    "SELECT pg_current_snapshot()::text AS snapshot, pg_snapshot_xmin(pg_current_snapshot())::text AS oldest",
  );
  if (now === undefined) throw new Error("A snapshot must be one row.");
  return {
    sql: `(recorded_by < $2::bigint OR recorded_by >= (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
        OR pg_visible_in_snapshot(recorded_by::text::xid8, $1::pg_snapshot))`,
    values: [now.snapshot, now.oldest],
  };
}

/** The id decides on a cluster, where the numbers of transactions of different workers cannot be compared. */
async function presentInShards(connection: Connection, { interactions }: Names): Promise<Condition> {
  const [last] = await connection.query<{ id: string | null }>(`SELECT max(id)::text AS id FROM ${interactions}`);
  return { sql: "id <= $1::bigint", values: [last?.id ?? null] };
}

function mayNotDelete(names: Names, path: string): StorageError {
  const { interactions, interactionMetadata } = names;
  return new StorageError(
    `this role may not delete interactions. Nothing was deleted. Grant it DELETE on ${interactions}, and SELECT on ${interactions} and ${interactionMetadata}.`,
    { path },
  );
}
