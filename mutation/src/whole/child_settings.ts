import { join } from "node:path";
import { runSettings } from "../run/run_settings.ts";

/** The variable by which programs that tests start learn what to do. */
export const CHILD = "PERDURA_MUTATION_CHILD";

/** What such a program is told: where to write what it reached, or how often a mutant may run. */
export interface ChildSettings {
  test?: string | undefined;
  folder?: string;
  hitLimit?: number | undefined;
}

/** Where the programs write what they reached. */
export const childCoverageFolder = (): string => join(runSettings().originals, "..", ".mutation-coverage");
