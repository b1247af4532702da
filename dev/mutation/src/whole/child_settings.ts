/** The variable by which programs that tests start learn what to do. */
export const CHILD = "PERDURA_MUTATION_CHILD";

/** What such a program is told: where to write what it reached, or how often a mutant may run. */
export interface ChildSettings {
  /** The test that starts it, or the file of tests that does so before the first of them. */
  by?: string | undefined;
  folder?: string;
  hitLimit?: number | undefined;
}
