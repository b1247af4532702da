import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from "vitest";
import { MUTANT_VARIABLE, strykerState } from "../run/stryker_state.ts";
import { runSettings } from "../run/run_settings.ts";
import { reachedByAllTests } from "./before_tests.ts";
import { CHILD, type ChildSettings } from "./child_settings.ts";

// Runs in every test file, after Stryker's own setup. Programs that a test starts have the same mutant as the test, and
// say which mutants they reached; without this, code that only they run would count as not reached.

declare module "vitest" {
  interface ProvidedContext {
    mode: "dry-run" | "mutant";
    activeMutant: string | undefined;
    hitLimit: number | undefined;
  }
}

const PRELOAD = fileURLToPath(new URL("./child_preload.ts", import.meta.url));

function tellChildren(settings: ChildSettings): void {
  process.env[CHILD] = JSON.stringify(settings);
  process.env["NODE_OPTIONS"] = `--import=${PRELOAD}`;
}

if (inject("mode") === "mutant") {
  const hitLimit = inject("hitLimit");
  const mutant = inject("activeMutant");
  beforeAll(() => {
    if (mutant === undefined) return;
    process.env[MUTANT_VARIABLE] = mutant;
    tellChildren({ hitLimit });
  });
} else {
  const { coverage: folder } = runSettings();
  const file = expect.getState().testPath;
  const tests: string[] = [];
  const beforeTests = (): void => tellChildren({ by: file, folder });
  beforeTests();
  beforeEach(() => {
    const { currentTestId: by } = strykerState();
    if (by !== undefined) tests.push(by);
    tellChildren({ by, folder });
  });
  afterEach(beforeTests);
  afterAll(() => reachedByAllTests(strykerState().mutantCoverage, tests));
}
