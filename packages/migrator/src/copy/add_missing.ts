import type { Run } from "../run/run.ts";
import type { Comparison } from "./compare_tables.ts";
import { type EqualPiece, PieceChecks } from "./piece_checks.ts";
import type { Row } from "./row_values.ts";
import type { Reader, Target } from "./side.ts";
import type { CopiedTable } from "./tables.ts";
import { WrittenPieces } from "./written_pieces.ts";

/**
 * Adds the rows that the target does not have.
 *
 * @returns Pieces of them that were compared once they were committed.
 */
export async function addMissing(
  { source, target, run }: { source: Reader; target: Target; run: Run },
  table: CopiedTable,
  { missing, missingRanges }: Comparison,
): Promise<readonly EqualPiece[]> {
  if (missing === 0) return [];
  const written = new WrittenPieces();
  const checks = new PieceChecks(target, table, written);
  const rows = async function* (): AsyncGenerator<readonly Row[], void> {
    for (const range of missingRanges) {
      const found = source.rows(table, range);
      yield* target.givesDigests ? written.through(found) : found;
    }
  };
  const about = { path: source.place, stage: "copy", detail: `copying ${table.name}`, unit: "rows" } as const;
  await target.add(table, rows(), {
    added: (done) => run.progress({ ...about, done, total: missing }),
    committed: (done) => checks.committed(done),
  });
  return checks.end();
}
