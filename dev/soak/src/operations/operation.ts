/** An operation of perdura on files, which is disturbed at every system call. */
export interface Operation {
  /** The row of the table. */
  name: string;
  /** Prepares the initial files in an empty directory. */
  layOut(directory: string): void | Promise<void>;
  /**
   * Runs it, in its own process.
   *
   * @param acknowledge Called after each step that perdura has acknowledged.
   */
  perform(directory: string, acknowledge: () => void): void | Promise<void>;
  /**
   * Inspects the files, as a later program: it may repair what any program would.
   *
   * @returns The number of completed steps.
   * @throws Error for anything that is neither wholly before nor wholly after a step.
   */
  stepsIn(directory: string): number | Promise<number>;
  /** Number of steps; 0 for one that only reads. */
  steps: number;
  /** True if a second run adds steps to those of the first, as recording rows does. */
  adds?: boolean;
  /** True if temporary files go to another directory, and asynchronous calls to a thread. */
  threads?: boolean;
}

/** Throws unless the value equals the expected one. */
export function mustBe(found: unknown, expected: unknown, what: string): void {
  const [is, must] = [JSON.stringify(found), JSON.stringify(expected)];
  if (is !== must) throw new Error(`${what}: found ${is?.slice(0, 300)}, expected ${must?.slice(0, 300)}`);
}
