/** The processes that write at the same time. */
export const PROCESSES = ["16", "15", "backup", "migrator"] as const;

/** Something that is written again and again until the power goes. */
export interface Writer {
  /** The row of the table. */
  row: string;
  /** Writes that share a process, in turn. */
  process: (typeof PROCESSES)[number];
  /** Puts what is there before into an empty directory; it is on the disk before the first write. */
  layOut(directory: string): void | Promise<void>;
  /**
   * Opens what it writes with, once.
   *
   * @returns What makes the write of a number, from 1. When it returns, the write counts as acknowledged. False: there is
   *   nothing more to write.
   */
  open(directory: string): (turn: number) => void | boolean | Promise<void | boolean>;
  /**
   * Looks at what is there after the power came back, as a program that comes later.
   *
   * @param acknowledged How many writes were acknowledged before the power went.
   * @param atLast How many in all: some are acknowledged while it goes.
   * @returns How many are there.
   * @throws Error for anything that is damaged.
   */
  writesIn(directory: string, acknowledged: number, atLast: number): number | Promise<number>;
  /** True where the last writes may be gone, and only damage is a fault. */
  mayLose?: boolean;
  /** A writer that is none of perdura's, and must lose something: else the power was not cut. */
  control?: boolean;
}

/** How many things of numbers from 1 are there: those of which one is missing do not count. */
export function countOf(isThere: (number: number) => boolean): number {
  let count = 0;
  while (isThere(count + 1)) count += 1;
  return count;
}
