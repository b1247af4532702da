import { describe, expect, it } from "vitest";
import { violations } from "../../src/corpus/schemas.ts";
import { fakeAdapter, runnerCorpus } from "../fake_adapter.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";

const verdictsOf = (cases: { id: string; verdict: string }[]) =>
  Object.fromEntries(cases.map((record) => [record.id.slice("runner/".length), record.verdict]));

describe("the runner", () => {
  it("reports its observations, and every line of its report is valid", async () => {
    const { cases, records } = await runWithLongTimeout({ adapter: fakeAdapter(), corpus: runnerCorpus("valid-pass") });
    expect(cases.find((record) => record.verdict === "observed")).toMatchObject({ scored: false, as_ruled: true });
    expect(records.flatMap((record) => violations("report", record))).toEqual([]);
  });

  it("scores a case whose ruling the implementation declares", async () => {
    const { cases } = await runWithLongTimeout({
      adapter: fakeAdapter("declares order"),
      corpus: runnerCorpus("valid-pass", ["observed"]),
    });
    expect(cases).toMatchObject([{ verdict: "pass", scored: true }]);
  });

  it("reports the observed answer to an open question, ends the case, and fails nothing", async () => {
    const { cases, summary } = await runWithLongTimeout({
      adapter: fakeAdapter(),
      corpus: runnerCorpus("valid-pass", ["other-answer", "unknown-answer"]),
    });
    expect(cases).toMatchObject([
      { verdict: "observed", as_ruled: false, answers: { "U-json-shape": "accepts" }, failures: [{ step: 2 }] },
      { verdict: "observed", as_ruled: false, answers: { "U-json-shape": "other" } },
    ]);
    expect(summary.exit_code).toBe(0);
  });
});

describe("a selection", () => {
  it("without an applicable case is an error", async () => {
    const { summary } = await runWithLongTimeout({
      adapter: fakeAdapter(),
      corpus: runnerCorpus("valid-pass"),
      cases: ["runner/other-version"],
    });
    expect(summary).toMatchObject({ exit_code: 1, conformant: false, counts: { pass: 0, inapplicable: 2 } });
    expect(summary.notes).toEqual(["nothing was run: no selected case applies"]);
  });

  it("of one case runs only that case", async () => {
    const { summary } = await runWithLongTimeout({
      adapter: fakeAdapter(),
      corpus: runnerCorpus("valid-pass"),
      cases: ["runner/round-trip"],
    });
    expect(summary).toMatchObject({
      exit_code: 0,
      conformant: false,
      counts: { pass: 1, "not-run": 10, inapplicable: 2 },
    });
  });

  it("for a prerelease of 16 equals that for 16", async () => {
    const { cases } = await runWithLongTimeout({
      adapter: fakeAdapter("none", "16.0.0-rc.1"),
      line: "16",
      corpus: runnerCorpus("valid-pass"),
    });
    expect(verdictsOf(cases)).toMatchObject({ "round-trip": "pass", "other-version": "inapplicable" });
  });

  it("for a line that the adapter does not implement is refused", async () => {
    await expect(
      runWithLongTimeout({ adapter: fakeAdapter(), line: "15", corpus: runnerCorpus("valid-pass") }),
    ).rejects.toThrow(/--line 15 was requested/);
  });
});
