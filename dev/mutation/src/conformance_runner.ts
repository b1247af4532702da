import { join } from "node:path";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
} from "@stryker-mutator/api/test-runner";
import { readCorpus } from "../../../packages/conformance/src/corpus/corpus.ts";
import { shippedCorpus } from "../../../packages/conformance/src/corpus/load_cases.ts";
import { implementationAdapter } from "../../../packages/conformance/src/implementations.ts";
import { withoutRunning } from "../../../packages/conformance/src/runner/judge_cases.ts";
import { type JudgeContext, Worker } from "../../../packages/conformance/src/runner/worker.ts";
import { strykerState } from "./stryker_state.ts";

/** Ends a step of a case that waits in vain. Stryker's own limit ends a process that hangs. */
const STEP_TIMEOUT_MS = 20_000;

/** A case on a line. */
export interface CaseOnLine {
  /** As in `16 metrics/levels-stored`. */
  id: string;
  /** When it changes, Stryker tries again what the case killed. */
  fileName: string;
  passes: () => Promise<boolean>;
}

const state = strykerState();

/**
 * Runs the conformance suite for Stryker, both lines in this process. A test is a case on a line; it kills a mutant when
 * it no longer passes.
 */
export class ConformanceRunner implements TestRunner {
  readonly #load: () => Promise<CaseOnLine[]>;
  #cases: Promise<CaseOnLine[]> | undefined;
  #hasRunMutants = false;
  #isSpoilt = false;
  /** An error of the sources that no caller could catch. */
  #uncaught: unknown;

  /** @param load loads the sources and lists the cases that apply to them. */
  constructor(load: () => Promise<CaseOnLine[]> = loadLines) {
    this.#load = load;
  }

  async init(): Promise<void> {
    for (const event of ["uncaughtException", "unhandledRejection"])
      process.on(event, (error: unknown) => (this.#uncaught = error ?? event));
  }

  capabilities(): TestRunnerCapabilities {
    // Stryker starts a process for each mutant of code that runs when it is loaded.
    return { reloadEnvironment: false };
  }

  async dryRun(): Promise<DryRunResult> {
    const tests: TestResult[] = [];
    for (const each of await this.#start()) {
      const began = performance.now();
      state.currentTestId = each.id;
      const passes = await this.#passes(each);
      delete state.currentTestId;
      const { id, fileName } = each;
      const test = { id, name: id, fileName, timeSpentMs: performance.now() - began };
      const failed = { status: TestStatus.Failed as const, failureMessage: "fails without a mutant" };
      tests.push({ ...test, ...(passes ? { status: TestStatus.Success as const } : failed) });
    }
    const mutantCoverage = state.mutantCoverage ?? { static: {}, perTest: {} };
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }

  /** @throws {Error} when a mutant spoilt this process: Stryker starts another one and tries again. */
  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, hitLimit, testFilter, mutantActivation } = options;
    if (this.#isSpoilt) throw new Error("an earlier mutant broke this process");
    const isFirst = !this.#hasRunMutants;
    this.#hasRunMutants = true;
    const isStatic = mutantActivation === "static";
    // Otherwise the mutant could keep a line from starting that no test starts.
    if (!isStatic) await this.#start();
    Object.assign(state, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const run = await this.#run(testFilter);
    delete state.activeMutant;
    const { nrOfTests } = run;
    if (!run.isKilled) return { status: MutantRunStatus.Survived, nrOfTests };
    if (run.killer && !isStatic) this.#isSpoilt = !(await this.#passes(run.killer));
    if (this.#isSpoilt && !isFirst) throw new Error("this mutant or an earlier one broke this process");
    const killedBy = run.killer ? [run.killer.id] : [];
    return { status: MutantRunStatus.Killed, killedBy, failureMessage: "fails", nrOfTests };
  }

  /** Runs cases until one fails, which has no name where the sources do not even load. */
  async #run(filter?: readonly string[]): Promise<{ isKilled: boolean; killer?: CaseOnLine; nrOfTests: number }> {
    let nrOfTests = 0;
    let cases: CaseOnLine[];
    try {
      cases = await this.#start();
    } catch {
      return { isKilled: true, nrOfTests };
    }
    for (const each of cases.filter(({ id }) => filter?.includes(id) ?? true)) {
      nrOfTests += 1;
      if (await this.#passes(each)) continue;
      // The next mutant is often killed by the same case.
      cases.unshift(...cases.splice(cases.indexOf(each), 1));
      return { isKilled: true, killer: each, nrOfTests };
    }
    return { isKilled: false, nrOfTests };
  }

  async #passes(each: CaseOnLine): Promise<boolean> {
    this.#uncaught = undefined;
    return (await each.passes()) && this.#uncaught === undefined;
  }

  #start(): Promise<CaseOnLine[]> {
    return (this.#cases ??= this.#load());
  }
}

async function loadLines(): Promise<CaseOnLine[]> {
  const cases: CaseOnLine[] = [];
  for (const line of ["15", "16"] as const) cases.push(...(await casesOf(line)));
  return cases;
}

async function casesOf(line: "15" | "16"): Promise<CaseOnLine[]> {
  const { cases, requirements, shared } = readCorpus();
  const adapter = implementationAdapter(`perdura-${line}`);
  const notes: string[] = [];
  const worker = await Worker.start({ adapter, line, timeoutMs: STEP_TIMEOUT_MS, shared, notes });
  if (!worker) throw new Error(notes.join("; "));
  const { spec_version: version, capabilities, choices } = worker.introduction;
  const plain = { selection: {}, profile: undefined, seed: null, runs: undefined, inapplicable: {} };
  const context: JudgeContext = { ...plain, cases, requirements, version, capabilities, choices };
  return cases
    .filter((loaded) => withoutRunning(loaded, context, true) === undefined)
    .map((loaded) => ({
      id: `${line} ${loaded.case.id}`,
      fileName: join(shippedCorpus().cases, `${loaded.case.id}.json`),
      passes: async () => ["pass", "observed"].includes((await worker.judge(loaded, context)).record.verdict),
    }));
}

/** The plugins, under the name that Stryker expects. */
export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "conformance", ConformanceRunner)];
