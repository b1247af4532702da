/** The variable by which programs that tests start learn what to do. */
export const CHILD = "PERDURA_MUTATION_CHILD";

/** What such a program is told: where to write what it reached, or how often a mutant may run. */
export interface ChildSettings {
  test?: string | undefined;
  folder?: string;
  hitLimit?: number | undefined;
}
