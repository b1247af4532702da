import type { MutantRunOptions } from "@stryker-mutator/api/test-runner";
import { expect, it } from "vitest";
import { type CaseOnLine, ConformanceRunner } from "../src/conformance_runner.ts";
import { strykerState } from "../src/stryker_state.ts";
import { shareLoadCoverage } from "../src/whole/load_coverage.ts";

const state = strykerState();

/** A case that fails as this says, by the active mutant and by how often it ran. */
function caseThat(id: string, fails: (mutant: string | undefined, run: number) => boolean): CaseOnLine {
  let run = 0;
  return { id, fileName: `${id}.json`, passes: () => Promise.resolve(!fails(state.activeMutant, ++run)) };
}

const runnerOf = (...cases: CaseOnLine[]) => new ConformanceRunner(() => Promise.resolve(cases));

function options(id: string, more: Partial<MutantRunOptions> = {}): MutantRunOptions {
  return { activeMutant: { id }, mutantActivation: "runtime", ...more } as MutantRunOptions;
}

it("kills a mutant by the first case that fails only with it", async () => {
  const seen: (string | undefined)[] = [];
  const first = caseThat("first", () => void seen.push(state.currentTestId) as never);
  const runner = runnerOf(
    first,
    caseThat("second", (mutant) => mutant === "1"),
    caseThat("third", () => true),
  );
  const killed = { status: "killed", killedBy: ["second"], nrOfTests: 2 };
  expect(await runner.mutantRun(options("1"))).toMatchObject(killed);
  // That case is the first one now.
  expect(await runner.mutantRun(options("1"))).toMatchObject({ ...killed, nrOfTests: 1 });
  expect(await runner.mutantRun(options("2", { testFilter: ["first", "second"] }))).toMatchObject({
    status: "survived",
    nrOfTests: 2,
  });
  expect(await runner.mutantRun(options("1", { testFilter: ["first"] }))).toMatchObject({ status: "survived" });
  expect(state.activeMutant).toBeUndefined();
  seen.length = 0;
  expect(await runner.dryRun()).toMatchObject({
    tests: [
      { id: "second", status: 0 },
      { id: "first", fileName: "first.json", status: 0 },
      { id: "third", status: 1 },
    ],
  });
  expect([seen, state.currentTestId]).toEqual([["first"], undefined]);
});

it("requests a new process if a case still fails without the mutant, except for the first mutant", async () => {
  const spoiling = (): CaseOnLine => caseThat("a", (mutant, run) => mutant !== undefined || run > 1);
  const later = runnerOf(
    caseThat("b", () => false),
    spoiling(),
  );
  await later.mutantRun(options("1", { testFilter: ["b"] }));
  await expect(later.mutantRun(options("2"))).rejects.toThrow("broke this process");
  const fresh = runnerOf(spoiling());
  expect(await fresh.mutantRun(options("2"))).toMatchObject({ status: "killed", killedBy: ["a"] });
  await expect(fresh.mutantRun(options("3"))).rejects.toThrow("an earlier mutant broke this process");
});

it("kills a mutant of load-time code if the sources do not load", async () => {
  const load = (): Promise<CaseOnLine[]> =>
    state.activeMutant === "1" ? Promise.reject(new Error("not loaded")) : Promise.resolve([]);
  const run = new ConformanceRunner(load).mutantRun(options("1", { mutantActivation: "static" }));
  expect(await run).toMatchObject({ status: "killed", killedBy: [] });
  expect(await new ConformanceRunner(load).mutantRun(options("1"))).toMatchObject({ status: "survived" });
});

it("counts coverage from loading a test file for each of its tests", () => {
  const coverage = { static: { 1: 2, 3: 1 }, perTest: { one: { 1: 1 } } };
  shareLoadCoverage(coverage, ["one", "two"]);
  expect(coverage).toEqual({ static: {}, perTest: { one: { 1: 3, 3: 1 }, two: { 1: 2, 3: 1 } } });
  expect(() => shareLoadCoverage(undefined, ["one"])).not.toThrow();
});
