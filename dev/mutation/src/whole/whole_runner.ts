import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
} from "@stryker-mutator/api/test-runner";
import type { Mutant } from "@stryker-mutator/api/core";
import { type KnownBefore, knownBefore } from "../results/known_before.ts";
import { fromOne } from "../results/left_mutant.ts";
import { runSettings } from "../run/run_settings.ts";
import { isInSample } from "../run/sample.ts";
import { addChildCoverage } from "./child_coverage.ts";
import { runLimited } from "./limited.ts";
import { limitFor, stagesOf } from "./quickest_tests.ts";

/**
 * All tests: the conformance suite, whose fresh results are taken over, and what vitest runs, which is tried on the
 * mutants that the suite left.
 */
export class WholeRunner implements TestRunner {
  readonly #vitest: TestRunner;
  readonly #settings = runSettings();
  /** By file. */
  readonly #known = new Map<string, KnownBefore>();
  #took: ReadonlyMap<string, number> | undefined;

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
    if (result.status !== DryRunStatus.Complete) return result;
    const tests = result.tests.map(({ id }) => id);
    if (result.mutantCoverage) addChildCoverage(result.mutantCoverage, this.#settings.coverage, tests);
    this.#keepDurations(result.tests);
    return result;
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant } = options;
    const file = nameOf(activeMutant);
    // What is not tried the reporter leaves out.
    if (!isInSample(this.#settings.every, file, fromOne(activeMutant)))
      return { status: MutantRunStatus.Survived, nrOfTests: 0 };
    const known = this.#knownOf(file)(fromOne(activeMutant));
    if (known === undefined) return this.#inStages(options);
    if (known === "explained") return { status: MutantRunStatus.Survived, nrOfTests: 0 };
    const killedBy = ["an earlier run"];
    return { status: MutantRunStatus.Killed, killedBy, failureMessage: "see the results", nrOfTests: 0 };
  }

  async dispose(): Promise<void> {
    await this.#vitest.dispose?.();
  }

  #keepDurations(tests: readonly TestResult[]): void {
    writeFileSync(this.#settings.durations, JSON.stringify(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs])));
  }

  async #inStages({ testFilter, ...options }: MutantRunOptions): Promise<MutantRunResult> {
    const { durations, seconds } = this.#settings;
    const took = (this.#took ??= new Map(JSON.parse(readFileSync(durations, "utf8")) as [string, number][]));
    let result: MutantRunResult | undefined;
    for (const stage of stagesOf(testFilter ?? [...took.keys()], took, seconds * 1000)) {
      // Before a file is loaded: what it reaches then may make the difference.
      const run: MutantRunOptions = { ...options, testFilter: stage, mutantActivation: "static" };
      result = await runLimited(this.#vitest, run, limitFor(stage, took));
      if (result.status !== MutantRunStatus.Survived) break;
    }
    return result as MutantRunResult;
  }

  #knownOf(file: string): KnownBefore {
    const { repository, originals } = this.#settings;
    const source = readFileSync(join(originals, file), "utf8");
    const known = this.#known.get(file) ?? knownBefore(repository, file, source, this.#settings);
    this.#known.set(file, known);
    return known;
  }
}

function nameOf({ fileName }: Mutant): string {
  return relative(process.cwd(), fileName).replaceAll("\\", "/");
}
