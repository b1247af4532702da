import { checkFaults } from "./faulty_adapters.ts";
import { checkMutants } from "./check_mutants.ts";
import { checkTolerances } from "./check_tolerances.ts";
import { coverageFaults } from "./mutant_coverage.ts";
import { checkRunner } from "./runner_corpus.ts";
import type { SelfCheck } from "./self_check.ts";
import type { Mutant } from "./mutants/mutations.ts";

/** The parts of the self-test, in the order in which they run. */
export const PARTS = ["runner corpus", "faulty adapters", "mutants", "tolerant implementations"] as const;

/** The name of one part. */
export type Part = (typeof PARTS)[number];

const RUN: Readonly<Record<Part, () => AsyncGenerator<SelfCheck & { mutant?: Mutant }>>> = {
  "runner corpus": checkRunner,
  "faulty adapters": checkFaults,
  mutants: checkMutants,
  "tolerant implementations": checkTolerances,
};

/**
 * Proves the suite itself: bad cases are refused, broken adapters get the verdict that they deserve, wrong
 * implementations are found by the case that is named for it, and different but legal ones pass.
 * @param parts which parts; without it all.
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
    for await (const check of RUN[part]()) take(check);
    if (part === "mutants") for (const check of coverageFaults()) take(check);
  }
  return { checks, faults };
}
