import { type Ended, runMain, type Surroundings } from "../../../test/run_main.ts";
import { main } from "../src/cli/main.ts";

/** Runs perdura-inspect in this process. */
export function runProgram(words: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return runMain(main, words, surroundings);
}
