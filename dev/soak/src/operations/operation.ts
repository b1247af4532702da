/** Something that perdura does with files, which is disturbed at every system call. */
export interface Operation {
  /** The row of the table. */
  name: string;
  /** Puts what is there before into an empty directory. */
  layOut(directory: string): void | Promise<void>;
  /**
   * Does it, in a process of its own.
   *
   * @param acknowledge Called after each step, when perdura has said that it is done.
   */
  perform(directory: string, acknowledge: () => void): void | Promise<void>;
  /**
   * Looks at what is there, as a program that comes later: it may repair what any program would.
   *
   * @returns How many steps are done.
   * @throws Error for anything that is neither wholly before nor wholly after a step.
   */
  stepsIn(directory: string): number | Promise<number>;
  /** How many steps it has; 0 for one that only reads. */
  steps: number;
  /** True where steps of a second run come on top of those of the first, as recorded rows do. */
  adds?: boolean;
  /** Temporary files go to another directory, and asynchronous calls to a thread. */
  threads?: boolean;
}

/** Throws unless what was found is what must be there. */
export function mustBe(found: unknown, expected: unknown, what: string): void {
  const [is, must] = [JSON.stringify(found), JSON.stringify(expected)];
  if (is !== must) throw new Error(`${what}: found ${is?.slice(0, 300)}, expected ${must?.slice(0, 300)}`);
}
