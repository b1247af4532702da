import { readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
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
import { hashOf } from "../results/file_result.ts";
import { identityOf, keyOf, type TestedMutant } from "../results/left_mutant.ts";
import { readFolder } from "../results/results_folder.ts";
import { runSettings } from "../run/run_settings.ts";
import { addChildCoverage } from "./child_coverage.ts";

/**
 * All tests: the conformance suite, whose fresh results are taken over, and what vitest runs, which is tried on the
 * mutants that the suite left.
 */
export class WholeRunner implements TestRunner {
  readonly #vitest: TestRunner;
  readonly #settings = runSettings();
  /** By file: the source, and the mutants that the conformance suite left; undefined where it says nothing. */
  readonly #left = new Map<string, { source: string; left: ReadonlySet<string> } | undefined>();

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
    if (!this.#left.has(file)) this.#left.set(file, this.#suiteResult(file));
    const known = this.#left.get(file);
    return known !== undefined && !known.left.has(keyOf(identityOf(known.source, fromOne(mutant))));
  }

  #suiteResult(file: string): { source: string; left: ReadonlySet<string> } | undefined {
    const source = readFileSync(join(this.#settings.originals, file), "utf8");
    const folder = readFolder(this.#settings.repository, posix.dirname(file));
    const result = folder[posix.basename(file)]?.conformance;
    if (result?.sha256 !== hashOf(source)) return undefined;
    return { source, left: new Set(result.left.map(keyOf)) };
  }
}

/** A runner is told positions from 0, a reporter from 1. */
function fromOne({ location: { start, end }, replacement }: Mutant): TestedMutant {
  const next = ({ line, column }: { line: number; column: number }) => ({ line: line + 1, column: column + 1 });
  return { status: "", replacement, location: { start: next(start), end: next(end) } };
}
