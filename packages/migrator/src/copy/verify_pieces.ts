import { type Compared, type Comparison, compareRows, nothingCompared } from "./compare_tables.ts";
import type { KeyRange } from "./key_range.ts";
import type { Piece } from "./written_pieces.ts";

/**
 * Compares a table after the copy, everything that the target has in it now: what was written by the digests of its pieces,
 * everything else, and each piece whose digest differs, row by row.
 *
 * @param pieces In the order of the keys.
 */
export async function verifyTable(
  compared: Compared,
  pieces: readonly Piece[],
  tell: (done: number) => Promise<void>,
): Promise<Comparison> {
  const { table, target } = compared;
  const found = nothingCompared();
  let rest: KeyRange = {};
  for (const { range, rows, digest } of pieces) {
    if ((await target?.digest?.(table, range)) !== digest) continue;
    // What lies between the pieces before and this one. Where it goes on from the one before, nothing does.
    if (rest.after === undefined || range.after !== rest.after)
      await compareRows(compared, { ...rest, ...beginOf(range) }, found, tell);
    found.rows += rows;
    found.equal += rows;
    rest = { after: range.last };
    await tell(found.rows);
  }
  await compareRows(compared, rest, found, tell);
  return found;
}

/** Where the rows before a range end. */
function beginOf({ first, after }: KeyRange): KeyRange {
  return after === undefined ? { before: first } : { last: after };
}
