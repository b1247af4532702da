/**
 * Milliseconds since some moment, never less than before. Takes as long as `performance.now`, at whose first use Node.js
 * loads modules for more than a millisecond.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
