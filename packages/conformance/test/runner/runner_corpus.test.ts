import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadCases } from "../src/corpus/load_cases.ts";
import { loadRequirements } from "../src/corpus/load_requirements.ts";
import { violations } from "../src/corpus/schemas.ts";
import { runSuite } from "../src/runner/run_suite.ts";
import { fakeAdapter, runnerCorpus } from "./fake_adapter.ts";

const verdictsOf = (cases: { id: string; verdict: string }[]) =>
  Object.fromEntries(cases.map((record) => [record.id.slice("runner/".length), record.verdict]));

describe("the runner", () => {
  it("passes what is right, and names what it did not judge", async () => {
    const { cases, summary, records } = await runSuite({ adapter: fakeAdapter(), corpus: runnerCorpus("valid-pass") });
    expect(verdictsOf(cases)).toEqual({
      "expected-errors": "pass",
      "needs-sqlite": "unsupported",
      observed: "observed",
      "other-version": "inapplicable",
      "round-trip": "pass",
      variables: "pass",
    });
    expect(cases.find((record) => record.verdict === "observed")).toMatchObject({ scored: false, as_ruled: true });
    expect(Object.values(summary.counts).reduce((a, b) => a + b)).toBe(summary.case_files);
    expect(records.flatMap((record) => violations("report", record))).toEqual([]);
  });

  it("fails everything that is wrong, and nothing of it crashes", async () => {
    const { cases, summary } = await runSuite({ adapter: fakeAdapter(), corpus: runnerCorpus("valid-fail") });
    expect(cases.length).toBeGreaterThan(8);
    expect([...new Set(cases.map((record) => record.verdict))]).toEqual(["fail"]);
    for (const record of cases) expect(record.failures.length, record.id).toBeGreaterThan(0);
    expect(summary).toMatchObject({ conformant: false, exit_code: 1 });
  });

  it("holds an implementation to the ruling that it declares", async () => {
    const { cases } = await runSuite({
      adapter: fakeAdapter("declares order"),
      corpus: runnerCorpus("valid-pass", ["observed"]),
    });
    expect(cases).toMatchObject([{ verdict: "pass", scored: true }]);
  });

  const invalid = readdirSync(new URL("corpus/invalid/runner", import.meta.url)).map((name) =>
    name.replace(".json", ""),
  );
  it.each(invalid)("refuses the case %s", (name) => {
    expect(() => loadCases(runnerCorpus("invalid", [name]), loadRequirements())).toThrow();
  });
});

describe("a selection", () => {
  it("of no case is an error", async () => {
    const { summary } = await runSuite({
      adapter: fakeAdapter(),
      corpus: runnerCorpus("valid-pass"),
      cases: ["runner/none"],
    });
    expect(summary).toMatchObject({ exit_code: 3, conformant: false, counts: { "not-run": 6 } });
    expect(summary.notes.join()).toContain("no case of this suite is selected");
  });

  it("of one case runs that case and judges nothing as a whole", async () => {
    const { summary } = await runSuite({
      adapter: fakeAdapter(),
      corpus: runnerCorpus("valid-pass"),
      cases: ["runner/round-trip"],
    });
    expect(summary).toMatchObject({ exit_code: 0, conformant: false, counts: { pass: 1, "not-run": 5 } });
  });

  it("for a prerelease of 16 is the one of 16", async () => {
    const { cases } = await runSuite({
      adapter: fakeAdapter("none", "16.0.0-rc.1"),
      line: "16",
      corpus: runnerCorpus("valid-pass"),
    });
    expect(verdictsOf(cases)).toMatchObject({ "round-trip": "pass", "other-version": "inapplicable" });
  });

  it("for a line that the adapter does not serve is refused", async () => {
    await expect(runSuite({ adapter: fakeAdapter(), line: "15", corpus: runnerCorpus("valid-pass") })).rejects.toThrow(
      /--line 15 was asked for/,
    );
  });
});
