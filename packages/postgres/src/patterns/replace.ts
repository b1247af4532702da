import type { Session } from "../connection/connection.ts";
import { RowLeftOut } from "../connection/failures.ts";
import { mayLeaveOut } from "../layout/left_out.ts";
import type { Names } from "../layout/names.ts";

/**
 * Removes patterns from the table `patterns` until it contains exactly `ids`, in that order, in the caller's
 * transaction. The usage rows of removed patterns are removed, too; kept patterns keep their usage rows and their
 * `updated_at`.
 *
 * @throws RowLeftOut if a trigger keeps a pattern.
 */
export async function removeOtherPatterns(
  session: Session,
  names: Names,
  ids: readonly string[],
): Promise<{ removedPatterns: number; removedUsageRows: number }> {
  const beside = "NOT EXISTS (SELECT 1 FROM unnest($1::text[]) AS kept (id) WHERE kept.id = gone.id)";
  const [usage] = await session.query<{ count: number }>(
    `WITH removed AS (DELETE FROM ${names.patternUsage} USING ${names.patterns} AS gone
       WHERE pattern_id = gone.id AND ${beside} RETURNING 1) SELECT count(*) FROM removed`,
    [ids],
  );
  const [patterns] = await session.query<{ count: number }>(
    `WITH removed AS (DELETE FROM ${names.patterns} AS gone WHERE ${beside} RETURNING 1) SELECT count(*) FROM removed`,
    [ids],
  );
  const kept = await session.query(`SELECT 1 FROM ${names.patterns} AS gone WHERE ${beside} LIMIT 1`, [ids]);
  // A policy may keep patterns, too.
  if (kept.length > 0 && (await mayLeaveOut(session, names.patterns))) throw new RowLeftOut("patterns");
  await putInOrder(session, names, ids);
  return { removedPatterns: patterns?.count ?? 0, removedUsageRows: usage?.count ?? 0 };
}

/**
 * The order of a library is the order of `position` (ruling U-order). If the order differs, the rows get new numbers.
 */
async function putInOrder(session: Session, names: Names, ids: readonly string[]): Promise<void> {
  const wanted = "unnest($1::text[]) WITH ORDINALITY AS wanted (id, place)";
  const [order] = await session.query<{ wrong: boolean; highest: number }>(
    `SELECT bool_or(place <> present) AS wrong, max(highest) AS highest FROM (
       SELECT place, row_number() OVER (ORDER BY position) AS present, position AS highest
       FROM ${names.patterns} AS patterns JOIN ${wanted} ON wanted.id = patterns.id) AS places`,
    [ids],
  );
  if (order?.wrong !== true) return;
  await session.query(
    `UPDATE ${names.patterns} AS patterns SET position = $2::bigint + place FROM ${wanted} WHERE wanted.id = patterns.id`,
    [ids, order.highest],
  );
  await session.query(
    `SELECT setval(pg_get_serial_sequence($1, 'position'), (SELECT max(position) FROM ${names.patterns}))`,
    [names.patterns],
  );
}
