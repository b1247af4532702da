/** Limits for the work of the rollup. */
export interface RollupLimits {
  /** Number of rows that a question may read before the rollup is built or updated. */
  threshold: number;
  /** Number of rows that the first write transaction folds; the next ones are adapted to the time. */
  piece: number;
  /** Time that a write transaction may take, in milliseconds: other writers wait meanwhile. */
  sliceMs: number;
  /** Time that a question may spend on the rollup, in milliseconds. */
  budgetMs: number;
  /**
   * Number of users from which the sums of all of them are made user by user. With fewer users, a piece of rows in the order
   * of ids changes few sums, and takes half the time.
   */
  fewestUsers: number;
}

export const ROLLUP_LIMITS: RollupLimits = {
  threshold: 4096,
  piece: 256,
  sliceMs: 20,
  budgetMs: 20,
  fewestUsers: 1000,
};
