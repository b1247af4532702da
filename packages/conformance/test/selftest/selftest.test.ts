import { describe, expect, it } from "vitest";
import { checkFaults } from "../../src/selftest/faulty_adapters.ts";
import { checkRunner } from "../../src/selftest/runner_corpus.ts";
import { outcome } from "./outcome.ts";

describe("the suite", () => {
  it("refuses, fails and passes the cases of the runner corpus as expected", async () => {
    const { hold, faults } = await outcome(checkRunner());
    expect(faults).toEqual([]);
    expect(hold).toBeGreaterThan(35);
  });

  it("gives every faulty adapter the expected verdict", async () => {
    const { hold, faults } = await outcome(checkFaults());
    expect(faults).toEqual([]);
    expect(hold).toBeGreaterThanOrEqual(20);
  });
});
