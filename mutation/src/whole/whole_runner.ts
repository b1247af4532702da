import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestRunner,
  type TestRunnerCapabilities,
} from "@stryker-mutator/api/test-runner";
import type { Mutant } from "@stryker-mutator/api/core";
import type { TestedMutant } from "../results/left_mutant.ts";
import { killedBySuite } from "../results/suite_result.ts";
import { runSettings } from "../run/run_settings.ts";
import { addChildCoverage } from "./child_coverage.ts";

/**
 * All tests: the conformance suite, whose fresh results are taken over, and what vitest runs, which is tried on the
 * mutants that the suite left.
 */
export class WholeRunner implements TestRunner {
  readonly #vitest: TestRunner;
  readonly #settings = runSettings();
  /** By file: which mutants the conformance suite killed. */
  readonly #killed = new Map<string, (mutant: TestedMutant) => boolean>();

  constructor(vitest: TestRunner) {
    this.#vitest = vitest;
  }

  capabilities(): Promise<TestRunnerCapabilities> | TestRunnerCapabilities {
    return this.#vitest.capabilities();
  }

  async init(): Promise<void> {
    await this.#vitest.init?.();
  }

  async dryRun(options: DryRunOptions): Promise<DryRunResult> {
    const result = await this.#vitest.dryRun(options);
    if (result.status === DryRunStatus.Complete && result.mutantCoverage)
      addChildCoverage(result.mutantCoverage, this.#settings.coverage);
    return result;
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    if (!this.#isKilledBySuite(options.activeMutant)) return this.#vitest.mutantRun(options);
    const killedBy = ["the conformance suite"];
    return { status: MutantRunStatus.Killed, killedBy, failureMessage: "see the suite's result", nrOfTests: 0 };
  }

  async dispose(): Promise<void> {
    await this.#vitest.dispose?.();
  }

  #isKilledBySuite(mutant: Mutant): boolean {
    const file = relative(process.cwd(), mutant.fileName).replaceAll("\\", "/");
    const { repository, originals } = this.#settings;
    const known =
      this.#killed.get(file) ?? killedBySuite(repository, file, readFileSync(join(originals, file), "utf8"));
    this.#killed.set(file, known);
    return known(fromOne(mutant));
  }
}

/** A runner is told positions from 0, a reporter from 1. */
function fromOne({ location: { start, end }, replacement }: Mutant): TestedMutant {
  const next = ({ line, column }: { line: number; column: number }) => ({ line: line + 1, column: column + 1 });
  return { status: "", replacement, location: { start: next(start), end: next(end) } };
}
