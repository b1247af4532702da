/** Relative difference that is allowed between two means: sums of pieces are rounded differently than one long sum. */
export const MEAN_TOLERANCE = 1e-12;

/** SQL for the users whose sums are not valid. */
export const STALE = "SELECT user_id FROM perdura_stale_users";

/** SQL that is true for rows of users whose sums are valid. */
export const SUMMED_USERS: string = `user_id NOT IN (${STALE})`;

/**
 * SQL that is true if a stored sum equals another one, except that they may be rounded differently; also if the stored
 * one is not known, or beyond the range of a double.
 *
 * @param size SQL for the sum of the absolute values.
 */
export function isSameSum(stored: string, other: string, size: string): string {
  return `(${stored} IS NULL OR abs(${stored} - ${other}) <= ${MEAN_TOLERANCE} * ${size} OR ${size} > 1e308)`;
}
