import { type Ended, runMain, type Surroundings } from "../../../../test/run_main.ts";
import { main } from "../../src/cli/main.ts";

/** Runs perdura-backup in this process, as if without a terminal. */
export function runProgram(...words: string[]): Promise<Ended> {
  return runProgramIn({}, ...words);
}

/** Does the same in other surroundings. */
export function runProgramIn(surroundings: Surroundings, ...words: string[]): Promise<Ended> {
  return runMain(main, words, surroundings);
}
