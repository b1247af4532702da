/** Processes that write at the same time. */
export const PROCESSES = ["16", "15", "backup", "migrator"] as const;

/** A write that is repeated until the power is cut. */
export interface Writer {
  /** The row of the table. */
  row: string;
  /** Writers of the same process take turns. */
  process: (typeof PROCESSES)[number];
  /** Prepares the initial files in an empty directory; they are synced before the first write. */
  layOut(directory: string): void | Promise<void>;
  /**
   * Opens what it writes with, once.
   *
   * @returns A function that makes the write of a number, from 1. When it returns, the write counts as acknowledged. It
   * returns false if there is nothing more to write.
   */
  open(directory: string): (turn: number) => void | boolean | Promise<void | boolean>;
  /**
   * Inspects the files after the cut, as a later program.
   *
   * @param acknowledged Number of writes that were acknowledged before the cut.
   * @param atLast Number of all acknowledged writes: some are acknowledged during the cut.
   * @returns The number of writes that were found.
   * @throws Error for any damage.
   */
  writesIn(directory: string, acknowledged: number, atLast: number): number | Promise<number>;
  /** True if the last writes may be lost, and only damage is a fault. */
  mayLose?: boolean;
  /** A writer outside perdura that must lose data: otherwise the power was not cut. */
  control?: boolean;
}

/** Number of consecutive items that exist, from 1; items after a gap do not count. */
export function countOf(isThere: (number: number) => boolean): number {
  let count = 0;
  while (isThere(count + 1)) count += 1;
  return count;
}
