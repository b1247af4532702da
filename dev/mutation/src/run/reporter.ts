import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type MutantResult, PlanKind } from "@stryker-mutator/api/core";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import type { MutationTestingPlanReadyEvent, Reporter } from "@stryker-mutator/api/report";
import { fileResult } from "../results/file_result.ts";
import { knownBefore, reachedBefore } from "../results/known_before.ts";
import { fromOne, type TestedMutant } from "../results/left_mutant.ts";
import { recordResult } from "../results/results_folder.ts";
import { type RunSettings, runSettings } from "./run_settings.ts";
import { isInSample } from "./sample.ts";

type MutantOfPlan = Pick<MutantResult, "location" | "replacement">;

/** Records the result of a source file as soon as its last mutant is tested, so that an interrupted run keeps it. */
export class RecordingReporter implements Reporter {
  readonly #settings = runSettings();
  /** How many mutants of a file are to come. */
  readonly #expected = new Map<string, number>();
  readonly #tested = new Map<string, MutantResult[]>();
  #done = 0;

  onMutationTestingPlanReady({ mutantPlans }: MutationTestingPlanReadyEvent): void {
    for (const { mutant } of mutantPlans) {
      const file = nameOf(mutant.fileName);
      if (!this.#isInSample(file, fromOne(mutant))) continue;
      this.#expected.set(file, (this.#expected.get(file) ?? 0) + 1);
    }
    // Files that only pass on what others export have none.
    for (const file of this.#settings.files) if (!this.#expected.has(file)) this.#record(file, []);
    const runs = mutantPlans.filter(({ plan }) => plan === PlanKind.Run).length;
    const fixed = mutantPlans.filter(({ mutant }) => mutant.static === true).length;
    const { every } = this.#settings;
    if (every > 1) console.log(`one of ${every} is tried`);
    console.log(`${mutantPlans.length} mutants, ${runs} to try, ${fixed} of code that runs when it is loaded`);
  }

  onMutantTested(result: Readonly<MutantResult>): void {
    const file = nameOf(result.fileName);
    if (!this.#isInSample(file, result)) return;
    const tested = this.#tested.get(file) ?? [];
    tested.push(result);
    this.#tested.set(file, tested);
    this.#done += 1;
    const all = [...this.#expected.values()].reduce((sum, count) => sum + count, 0);
    if (this.#done % 50 === 0) console.log(`${this.#done} of ${all} mutants`);
    if (tested.length === this.#expected.get(file)) this.#record(file, tested);
  }

  #isInSample(file: string, { location, replacement = "" }: MutantOfPlan): boolean {
    return isInSample(this.#settings.every, file, { status: "", location, replacement });
  }

  #record(file: string, tested: readonly MutantResult[]): void {
    const { originals, repository, suite, every } = this.#settings;
    const source = readFileSync(join(originals, file), "utf8");
    const judged = suite === "whole" ? withKnown(this.#settings, file, source, tested) : tested;
    const result = fileResult(source, judged, every);
    recordResult(repository, file, suite, result);
    const { killed, timeout, survived, no_coverage } = result;
    console.log(`${file}: ${killed} killed, ${timeout} timed out, ${survived} survived, ${no_coverage} not reached`);
  }
}

/** What only cases of the conformance suite reach, the other tests cannot kill: all tests together did. */
function withKnown(
  settings: RunSettings,
  file: string,
  source: string,
  tested: readonly MutantResult[],
): readonly TestedMutant[] {
  const known = knownBefore(settings.repository, file, source, settings);
  const wasReached = reachedBefore(settings.repository, file, source, settings);
  return tested.map((mutant) => {
    if (known(mutant) === "found") return { ...mutant, status: "Killed" };
    return mutant.status === "NoCoverage" && wasReached(mutant) ? { ...mutant, status: "Survived" } : mutant;
  });
}

/** Stryker runs in the copy; some of its events have absolute names. */
function nameOf(fileName: string): string {
  return relative(process.cwd(), resolve(fileName)).replaceAll("\\", "/");
}

/** What Stryker looks for. */
export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, "recording", RecordingReporter)];
