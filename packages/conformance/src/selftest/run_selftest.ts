import { LINE_IMPLEMENTATIONS, loadAdapter } from "../implementations.ts";
import { checkMutants, coverageFaults } from "./check_mutants.ts";
import { checkTolerances } from "./check_tolerances.ts";
import { checkFaults } from "./faulty_adapters.ts";
import type { Mutant } from "./mutants/mutations.ts";
import { checkRunner } from "./runner_corpus.ts";
import { selfCheck } from "./self_check.ts";
import type { SelfCheck } from "./self_check.ts";

/** The parts of the self-test, in the order in which they run. */
export const PARTS = ["runner corpus", "faulty adapters", "mutants", "tolerant implementations"] as const;

/** Name of one part. */
export type Part = (typeof PARTS)[number];

const RUN: Readonly<Record<Part, () => AsyncGenerator<SelfCheck & { mutant?: Mutant }>>> = {
  "runner corpus": checkRunner,
  "faulty adapters": checkFaults,
  mutants: checkMutants,
  "tolerant implementations": checkTolerances,
};

/** Faults and habits are injected into the reference implementations; the suite itself does not need them. */
const NEEDS_LINES: ReadonlySet<Part> = new Set(["mutants", "tolerant implementations"]);

async function missingLines(): Promise<string | undefined> {
  try {
    for (const name of LINE_IMPLEMENTATIONS) await loadAdapter(name);
    return undefined;
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    return (error as Error).message;
  }
}

/**
 * Tests the suite itself: invalid cases are refused, broken adapters get the right verdicts, faulty implementations are
 * found by their named cases, and different but legal ones pass.
 * @param parts the parts to run; all by default.
 * @param onCheck called with each result as soon as it is known.
 */
export async function runSelftest(
  parts: readonly Part[],
  onCheck: (check: SelfCheck & { mutant?: Mutant }) => void,
): Promise<{ checks: number; faults: SelfCheck[] }> {
  let checks = 0;
  const faults: SelfCheck[] = [];
  const take = (check: SelfCheck): void => {
    checks += 1;
    if (check.fault !== undefined) faults.push(check);
    onCheck(check);
  };
  for (const part of parts) {
    const missing = NEEDS_LINES.has(part) ? await missingLines() : undefined;
    if (missing !== undefined) {
      take(selfCheck(part, "the reference lines are installed", `not run: ${missing}`));
      continue;
    }
    for await (const check of RUN[part]()) take(check);
    if (part === "mutants") for (const check of coverageFaults()) take(check);
  }
  return { checks, faults };
}
