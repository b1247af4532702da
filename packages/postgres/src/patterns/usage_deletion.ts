import type { DeletedUsage, UsageToDelete } from "@perdura/internals/patterns/usage_deletion.js";
import type { Connection, Session } from "../connection/connection.ts";
import { RowLeftOut } from "../connection/failures.ts";
import { isStorable } from "../connection/storable.ts";
import { NOW } from "../layout/column_types.ts";
import { assertShardsErasable, eraseFromShards } from "../layout/erase_shards.ts";
import { assertErasable, eraseRowVersions, rewriteOf } from "../layout/erase_tables.ts";
import { mayLeaveOut } from "../layout/left_out.ts";
import type { Names } from "../layout/names.ts";
import type { Tables } from "../layout/set_up.ts";

/** Number of rows of a transaction. */
const ROWS_AT_ONCE = 4000;

/**
 * Deletes uses in transactions of some rows each, and lowers the counts of their patterns by them: the counts are those of
 * the rows that are left.
 */
export async function deleteUsage(
  connection: Connection,
  { names, isDistributed }: Tables,
  asked: UsageToDelete,
): Promise<DeletedUsage> {
  const deleted: DeletedUsage = { usageRows: 0, patterns: 0 };
  const { agentId, patternId } = asked;
  if (![agentId, patternId].every((id) => id === undefined || isStorable(id))) return deleted;
  const rewritten = [names.patternUsage];
  if (asked.erase && isDistributed) await assertShardsErasable(connection, rewritten, rewritten.map(rewriteOf));
  else if (asked.erase) await assertErasable(connection, rewritten);
  const patterns = new Set<string>();
  const [newest] = await connection.query<{ id: string | null }>(
    `SELECT max(id)::text AS id FROM ${names.patternUsage}`,
  );
  const last = newest?.id ?? null;
  const total = asked.report === undefined ? 0 : await countUsage(connection, names, asked);
  for (let left = last !== null; left;) {
    const piece = await connection.transaction("write", (session) =>
      deletePiece(session, names, asked, last as string),
    );
    deleted.usageRows += piece.rows;
    for (const id of piece.patterns) patterns.add(id);
    asked.report?.(deleted.usageRows, total);
    left = piece.rows === ROWS_AT_ONCE;
  }
  if (asked.erase) await (isDistributed ? eraseFromShards : eraseRowVersions)(connection, rewritten, "uses");
  return { ...deleted, patterns: patterns.size };
}

/** SQL that is true for the uses to delete, of an agent ($1) or of a pattern ($2). */
const IS_ASKED = "agent_id = coalesce($1::text, agent_id) AND pattern_id = coalesce($2::text, pattern_id)";

/** Counts what a deletion would delete. */
export async function countUsage(
  connection: Connection,
  names: Names,
  { agentId, patternId }: UsageToDelete,
): Promise<number> {
  if (![agentId, patternId].every((id) => id === undefined || isStorable(id))) return 0;
  const [counted] = await connection.query<{ uses: number }>(
    `SELECT count(*) AS uses FROM ${names.patternUsage} WHERE ${IS_ASKED}`,
    [agentId ?? null, patternId ?? null],
  );
  return counted?.uses ?? 0;
}

async function deletePiece(
  session: Session,
  names: Names,
  { agentId, patternId }: UsageToDelete,
  last: string,
): Promise<{ rows: number; patterns: string[] }> {
  const uses = await session.query<{ id: string }>(
    `SELECT id::text AS id FROM ${names.patternUsage}
     WHERE ${IS_ASKED} AND id <= $3::bigint
     ORDER BY pattern_id, id LIMIT ${ROWS_AT_ONCE} FOR UPDATE`,
    [agentId ?? null, patternId ?? null, last],
  );
  const ids = uses.map(({ id }) => id);
  if (ids.length === 0) return { rows: 0, patterns: [] };
  const gone = `SELECT pattern_id, count(*) AS uses, count(*) FILTER (WHERE success) AS successes
    FROM ${names.patternUsage} WHERE id = ANY ($1::bigint[]) GROUP BY pattern_id`;
  const lowered = await session.query<{ id: string }>(
    `UPDATE ${names.patterns} AS patterns SET usage_count = greatest(0, usage_count - uses),
       success_count = greatest(0, success_count - successes),
       failure_count = greatest(0, failure_count - (uses - successes)), updated_at = ${NOW}
     FROM (${gone}) AS gone WHERE gone.pattern_id = patterns.id RETURNING patterns.id`,
    [ids],
  );
  const [known] = await session.query<{ patterns: number }>(`SELECT count(*) AS patterns FROM (${gone}) AS gone`, [
    ids,
  ]);
  // A policy may keep rows, too.
  if (lowered.length !== known?.patterns && (await mayLeaveOut(session, names.patterns)))
    throw new RowLeftOut("patterns");
  const removed = await session.query(
    `DELETE FROM ${names.patternUsage} WHERE id = ANY ($1::bigint[]) RETURNING 1 AS removed`,
    [ids],
  );
  if (removed.length !== ids.length) throw new RowLeftOut("pattern_usage");
  return { rows: removed.length, patterns: lowered.map(({ id }) => id) };
}
