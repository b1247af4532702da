import { afterAll, beforeEach, inject } from "vitest";
import { strykerState } from "../stryker_state.ts";
import { shareLoadCoverage } from "./load_coverage.ts";

// Runs in every file of tests, after Stryker's own setup.

declare module "vitest" {
  interface ProvidedContext {
    mode: "dry-run" | "mutant";
    activeMutant: string;
  }
}

const state = strykerState();

if (inject("mode") === "mutant") {
  // Before the file is loaded: what it reaches then may make the difference.
  state.activeMutant = inject("activeMutant");
} else {
  const tests: string[] = [];
  beforeEach(() => {
    if (state.currentTestId !== undefined) tests.push(state.currentTestId);
  });
  afterAll(() => shareLoadCoverage(state.mutantCoverage, tests));
}
