/** Limits for the work of the rollup within a question. */
export interface RollupLimits {
  /** Number of rows that a question may read before the rollup is built or updated. */
  threshold: number;
  /** Maximum number of rows that a write transaction folds. */
  piece: number;
  /** Time that a write transaction may spend on stale users before it lets other writers continue, in milliseconds. */
  sliceMs: number;
  /** Time that a question may spend on updating the rollup, in milliseconds. */
  budgetMs: number;
}

export const ROLLUP_LIMITS: RollupLimits = { threshold: 4096, piece: 20_000, sliceMs: 20, budgetMs: 60 };
