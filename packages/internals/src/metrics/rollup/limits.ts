/** How the rollup shares its work among the questions. */
export interface RollupLimits {
  /** So many rows may be looked at by each question before the rollup is made or brought up to date. */
  threshold: number;
  /** How many rows a write transaction folds at most. */
  piece: number;
  /** How long a write transaction computes stale users before it lets other writers on, in milliseconds. */
  sliceMs: number;
  /** How long a question brings the rollup up to date before it is answered with what there is, in milliseconds. */
  budgetMs: number;
}

export const ROLLUP_LIMITS: RollupLimits = { threshold: 4096, piece: 20_000, sliceMs: 20, budgetMs: 60 };
