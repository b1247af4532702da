import { describe, expect, it } from "vitest";
import { checkFaults } from "../../src/selftest/faulty_adapters.ts";
import { checkRunner } from "../../src/selftest/runner_corpus.ts";
import { checkTolerances } from "../../src/selftest/check_tolerances.ts";
import type { SelfCheck } from "../../src/selftest/self_check.ts";

/** Checks that hold by count, and those that do not. */
async function outcome(checks: AsyncGenerator<SelfCheck>): Promise<{ hold: number; faults: SelfCheck[] }> {
  const faults: SelfCheck[] = [];
  let hold = 0;
  for await (const check of checks) {
    if (check.fault === undefined) hold += 1;
    else faults.push(check);
  }
  return { hold, faults };
}

describe("the suite", () => {
  it("refuses, fails and passes the cases of its own corpus as it should", async () => {
    const { hold, faults } = await outcome(checkRunner());
    expect(faults).toEqual([]);
    expect(hold).toBeGreaterThan(35);
  });

  it("gives every faulty adapter the verdict that it deserves", async () => {
    const { hold, faults } = await outcome(checkFaults());
    expect(faults).toEqual([]);
    expect(hold).toBeGreaterThanOrEqual(20);
  }, 120_000);

  it("lets different but legal implementations pass every must", async () => {
    const { hold, faults } = await outcome(checkTolerances());
    expect(faults).toEqual([]);
    expect(hold).toBeGreaterThanOrEqual(13);
  }, 600_000);
});
