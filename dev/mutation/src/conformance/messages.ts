import type { MutantCoverage } from "@stryker-mutator/api/core";

/** Tests, and the verdict of each without a mutant. A test is a case on a line: `16 metrics/levels-stored`. */
export type Verdicts = [test: string, verdict: string][];

/** What the runner asks of the process that judges. */
export type Wish =
  | { type: "learn" }
  | { type: "judge"; mutant: string; hitLimit: number | undefined; verdicts: Verdicts };

/** Every test with what it reaches. */
export interface Learnt {
  tests: { test: string; verdict: string; took: number }[];
  coverage: MutantCoverage;
}

/** The test that has another verdict with the mutant; `sound` when it has its former one without. */
export interface Judgement {
  killer: string | undefined;
  sound: boolean;
}

export type Answer = Learnt | Judgement;
