import { type Compared, type Comparison, compareRows, nothingCompared } from "./compare_tables.ts";
import type { KeyRange } from "./key_range.ts";
import type { EqualPiece } from "./piece_checks.ts";

/**
 * Compares a table after the copy, everything that the target has in it now. What was equal when it had been written still is
 * where its transaction has left as many rows, and nobody else any: whoever changes a row writes it anew. Everything else
 * is compared row by row.
 *
 * @param pieces In the order of the keys.
 */
export async function verifyTable(
  compared: Compared,
  pieces: readonly EqualPiece[],
  tell: (done: number) => Promise<void>,
): Promise<Comparison> {
  const found = nothingCompared();
  let rest: KeyRange = {};
  for (const run of runsOf(pieces)) {
    const range = rangeOf(run);
    if (!(await isUntouched(compared, run, range))) continue;
    await compareRows(compared, { ...rest, ...beginOf(range) }, found, tell);
    const rows = run.reduce((sum, piece) => sum + piece.rows, 0);
    found.rows += rows;
    found.equal += rows;
    rest = { after: range.last };
    await tell(found.rows);
  }
  await compareRows(compared, rest, found, tell);
  return found;
}

/** Pieces that go on from each other, together. */
function runsOf(pieces: readonly EqualPiece[]): EqualPiece[][] {
  const runs: EqualPiece[][] = [];
  for (const piece of pieces) {
    const run = runs.at(-1);
    if (run !== undefined && piece.range.after !== undefined && piece.range.after === run.at(-1)?.range.last)
      run.push(piece);
    else runs.push([piece]);
  }
  return runs;
}

function rangeOf(run: readonly EqualPiece[]): KeyRange {
  return { ...run[0]?.range, last: run.at(-1)?.range.last };
}

async function isUntouched({ table, target }: Compared, run: readonly EqualPiece[], range: KeyRange): Promise<boolean> {
  const expected = new Map<string, number>();
  for (const { writer, rows } of run) expected.set(writer, (expected.get(writer) ?? 0) + rows);
  const writers = await target?.writers?.(table, range);
  return writers?.size === expected.size && [...expected].every(([writer, rows]) => writers.get(writer) === rows);
}

/** Where the rows before a range end. */
function beginOf({ first, after }: KeyRange): KeyRange {
  return after === undefined ? { before: first } : { last: after };
}
