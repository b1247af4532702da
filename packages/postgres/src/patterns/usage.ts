import type { PatternUsage } from "@perdura/internals/patterns/library.js";
import type { Session } from "../connection/connection.ts";
import { RowLeftOut } from "../connection/failures.ts";
import type { Names } from "../layout/names.ts";

/**
 * Adds queued uses to the table `pattern_usage` in the caller's transaction.
 *
 * @throws RowLeftOut if a trigger left out one.
 * @returns Number of added rows, and the uses whose pattern is not in the database: their rows would refer to nothing.
 */
export async function writeUsage(
  session: Session,
  names: Names,
  queued: readonly PatternUsage[],
): Promise<{ written: number; unreferenced: PatternUsage[] }> {
  if (queued.length === 0) return { written: 0, unreferenced: [] };
  const missing = await session.query<{ id: string }>(
    `SELECT DISTINCT id FROM unnest($1::text[]) AS used (id)
     WHERE NOT EXISTS (SELECT 1 FROM ${names.patterns} AS patterns WHERE patterns.id = used.id)`,
    [queued.map((usage) => usage.pattern_id)],
  );
  const unknown = new Set(missing.map(({ id }) => id));
  const known = queued.filter((usage) => !unknown.has(usage.pattern_id));
  const [added] = await session.query<{ rows: number }>(
    `WITH added AS (
       INSERT INTO ${names.patternUsage} (pattern_id, agent_id, success, used_at)
       SELECT pattern_id, agent_id, success, used_at
       FROM unnest($1::text[], $2::text[], $3::boolean[], $4::text[])
         WITH ORDINALITY AS given (pattern_id, agent_id, success, used_at, place) ORDER BY place
       RETURNING 1
     )
     SELECT count(*) AS rows FROM added`,
    [
      known.map((usage) => usage.pattern_id),
      known.map((usage) => usage.agent_id),
      known.map((usage) => usage.success),
      known.map((usage) => usage.used_at),
    ],
  );
  if (added?.rows !== known.length) throw new RowLeftOut("pattern_usage");
  return { written: known.length, unreferenced: queued.filter((usage) => unknown.has(usage.pattern_id)) };
}
