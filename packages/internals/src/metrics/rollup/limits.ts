/** Limits for the work of the rollup within a question. */
export interface RollupLimits {
  /** Number of rows that a question may read before the rollup is built or updated. */
  threshold: number;
  /** Number of rows that a write transaction folds, unless the question would count many more. */
  piece: number;
  /** Maximum number of rows that a write transaction folds for such a question, because other writers wait meanwhile. */
  largePiece: number;
  /** Time that a write transaction may spend on stale users before it lets other writers continue, in milliseconds. */
  sliceMs: number;
  /** Time after which a question does not begin another piece, in milliseconds. */
  budgetMs: number;
}

export const ROLLUP_LIMITS: RollupLimits = {
  threshold: 4096,
  piece: 20_000,
  largePiece: 100_000,
  sliceMs: 20,
  budgetMs: 60,
};

/**
 * Part of the rows that a question would count, which are folded at once. A row of a large piece takes a third of the time, and
 * folding the part takes about as long as counting all.
 */
const PART = 1 / 16;

/** Number of rows to fold in a write transaction, before a question that would count `rows`. */
export function pieceFor(rows: number, { piece, largePiece }: RollupLimits): number {
  return Math.max(piece, Math.min(largePiece, Math.floor(rows * PART)));
}
