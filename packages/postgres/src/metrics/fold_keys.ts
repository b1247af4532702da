import type { Session } from "../connection/connection.ts";
import { keySumsIn } from "../layout/declare_keys.ts";
import { endOfPiece } from "../layout/fold_sums.ts";
import { addToKeys, removeSums, unsummedKeys } from "../layout/key_sums.ts";
import type { Names } from "../layout/names.ts";
import type { Tables } from "../layout/set_up.ts";

/**
 * Adds about as many rows as asked to the sums by key that contain the fewest, of those that the other sums contain. Rows of
 * stale users are added, too; these users are computed again later.
 *
 * @returns True if more rows may remain.
 */
export async function foldKeys(session: Session, tables: Tables, rowsAtOnce: number): Promise<boolean> {
  const { names } = tables;
  await matchDeclaredKeys(session, names);
  const sums = await keySumsIn(session, tables);
  if (sums === undefined) return false;
  const [state] = await session.query<{ begin: string; end: string }>(
    `SELECT first.watermark::text AS begin, least(rollup.watermark, (
         SELECT min(watermark) FROM ${names.summedKeys} WHERE is_summed AND watermark > first.watermark))::text AS end
     FROM ${names.rollup} AS rollup,
       (SELECT min(watermark) AS watermark FROM ${names.summedKeys} WHERE is_summed) AS first
     WHERE first.watermark < rollup.watermark AND ${names.sumsValid}()`,
  );
  if (state === undefined) return false;
  const { begin, end: limit } = state;
  const [piece] = await session.query<{ end: string }>(endOfPiece(names, "$1::bigint", "$2::bigint", rowsAtOnce), [
    begin,
    limit,
  ]);
  const ends = [begin, piece?.end ?? limit];
  const rows = "i.recorded_by >= $1::bigint AND i.recorded_by < $2::bigint";
  const left = await session.query(`${addToKeys(sums, rows, "k.watermark = $1::bigint")} RETURNING 1`, ends);
  for (const statement of left.length > 0 ? removeSums(names, unsummedKeys(names)) : []) await session.query(statement);
  // Nothing changes if the session runs as a replica.
  const added = await session.query(
    `UPDATE ${names.summedKeys} SET watermark = $2::bigint WHERE is_summed AND watermark = $1::bigint RETURNING 1`,
    ends,
  );
  return added.length > 0 || left.length > 0;
}

/** Gives each declared key its row, and takes it from others and from those whose sums have other numbers. */
async function matchDeclaredKeys(session: Session, names: Names): Promise<void> {
  const { declaredKeys, summedKeys } = names;
  const numbers = `ARRAY(SELECT key FROM ${declaredKeys} WHERE kind = 'number' ORDER BY key)`;
  const gone = await session.query<{ key_id: number }>(
    `DELETE FROM ${summedKeys} AS k WHERE k.numbers <> ${numbers}
       OR NOT EXISTS (SELECT 1 FROM ${declaredKeys} AS d WHERE d.kind = 'key' AND d.key = k.key) RETURNING key_id`,
  );
  const ids = gone.map(({ key_id: id }) => id);
  for (const statement of ids.length > 0 ? removeSums(names, ids.join(", ")) : []) await session.query(statement);
  await session.query(
    `INSERT INTO ${summedKeys} (key_id, key, numbers, watermark, is_summed)
     SELECT (SELECT coalesce(max(key_id), 0) FROM ${summedKeys}) + row_number() OVER (ORDER BY key), key, ${numbers}, 0, true
     FROM ${declaredKeys} AS d WHERE kind = 'key' AND NOT EXISTS (SELECT 1 FROM ${summedKeys} AS k WHERE k.key = d.key)
     ON CONFLICT DO NOTHING`,
  );
}
