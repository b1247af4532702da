import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
} from "@stryker-mutator/api/test-runner";
import { JudgeProcess, NoAnswer } from "./judge_process.ts";
import type { Judgement, Learnt, Verdicts } from "./messages.ts";

/** A mutant has five times as long as its tests take without it, and this. */
const PATIENCE_MS = 30_000;

/**
 * Runs the conformance suite for Stryker. A test is a case on a line; it kills a mutant when its verdict is another than
 * without, or when the process crashes or hangs.
 */
export class ConformanceRunner implements TestRunner {
  #process: JudgeProcess | undefined;
  #learnt: Promise<Learnt> | undefined;
  /** How many mutants a test killed: those of a file are often killed by the same. */
  readonly #kills = new Map<string, number>();

  capabilities(): TestRunnerCapabilities {
    // Mutants of code that runs when it is loaded get a process of their own.
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<DryRunResult> {
    const { tests, coverage } = await this.#learn();
    return {
      status: DryRunStatus.Complete,
      tests: tests.map(({ test, took }) => ({
        id: test,
        name: test,
        status: TestStatus.Success as const,
        timeSpentMs: took,
      })),
      mutantCoverage: coverage,
    };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { tests } = await this.#learn();
    const chosen = this.#likeliestFirst(tests.filter(({ test }) => options.testFilter?.includes(test) ?? true));
    const verdicts: Verdicts = chosen.map(({ test, verdict }) => [test, verdict]);
    const timeoutMs = PATIENCE_MS + 5 * chosen.reduce((sum, { took }) => sum + took, 0);
    const nrOfTests = verdicts.length;
    try {
      const judge = options.mutantActivation === "static" ? this.#freshly : this.#lively;
      const { killer } = await judge.call(this, options, verdicts, timeoutMs);
      if (killer === undefined) return { status: MutantRunStatus.Survived, nrOfTests };
      this.#kills.set(killer, (this.#kills.get(killer) ?? 0) + 1);
      return { status: MutantRunStatus.Killed, killedBy: [killer], failureMessage: "another verdict", nrOfTests };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this.#process = undefined;
      if (error.kind === "timeout") return { status: MutantRunStatus.Timeout, reason: error.message };
      const killedBy = chosen.slice(0, 1).map(({ test }) => test);
      return { status: MutantRunStatus.Killed, killedBy, failureMessage: error.message, nrOfTests };
    }
  }

  async dispose(): Promise<void> {
    await this.#process?.end();
  }

  /** Runs all cases without a mutant, once; an implementation that does not pass cannot be tested so. */
  #learn(): Promise<Learnt> {
    this.#learnt ??= this.#running()
      .learn()
      .then((learnt) => {
        const broken = learnt.tests.filter(({ verdict }) => verdict !== "pass" && verdict !== "observed");
        if (broken.length > 0 || learnt.tests.length === 0)
          throw new Error(`without a mutant not every case passes: ${JSON.stringify(broken.slice(0, 5))}`);
        return learnt;
      });
    return this.#learnt;
  }

  #likeliestFirst(tests: readonly Learnt["tests"][number][]): Learnt["tests"] {
    const kills = (test: string): number => this.#kills.get(test) ?? 0;
    return tests.toSorted((a, b) => kills(b.test) - kills(a.test));
  }

  #running(): JudgeProcess {
    this.#process ??= new JudgeProcess();
    return this.#process;
  }

  /**
   * In the process that goes on to the next mutant. Where the killing test fails without the mutant too, this one or an
   * earlier one spoilt the process, and a new one decides.
   */
  async #lively(options: MutantRunOptions, verdicts: Verdicts, timeoutMs: number): Promise<Judgement> {
    const { activeMutant, hitLimit } = options;
    let judgement: Judgement;
    let attempts = 0;
    do {
      const running = this.#running();
      judgement = await running.judge(activeMutant.id, hitLimit, verdicts, timeoutMs);
      if (!judgement.sound) {
        await running.end();
        this.#process = undefined;
      }
      attempts += 1;
    } while (!judgement.sound && attempts < 2);
    return judgement;
  }

  /** In a process that starts with the mutant. */
  async #freshly(options: MutantRunOptions, verdicts: Verdicts, timeoutMs: number): Promise<Judgement> {
    const { activeMutant, hitLimit } = options;
    const own = new JudgeProcess(activeMutant.id);
    try {
      return await own.judge(activeMutant.id, hitLimit, verdicts, timeoutMs);
    } finally {
      await own.end();
    }
  }
}
