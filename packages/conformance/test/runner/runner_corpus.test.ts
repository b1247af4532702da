import { describe, expect, it } from "vitest";
import { loadCases } from "../../src/corpus/load_cases.ts";
import { loadRequirements } from "../../src/corpus/requirements.ts";
import { violations } from "../../src/values/schemas.ts";
import { fakeAdapter, runnerCases, runnerCorpus } from "../fake_adapter.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";

/** Reason for which each invalid case must be refused; another reason would prove nothing. */
const REASONS: Readonly<Record<string, string>> = {
  "answers-of-a-must": "its answers require one open question",
  "answers-unknown": 'has no answer "perhaps"',
  "answers-without-ruling": "the ruling is not among the answers",
  "anything-at-the-end": "must be followed by a step",
  "assumes-what-it-checks": "so it cannot be assumed",
  "bad-range": "not a bound",
  "check-of-nothing": "must match exactly one schema",
  "check-twice": 'two checks have the id "a"',
  "handle-after-settling": "no object is kept as",
  "handle-not-kept": "no object is kept as",
  "kill-without-call": "the step before a kill must be a call",
  "meets-a-should": "not a must",
  "meets-what-it-does-not-cite": "which the case does not cite",
  "mixed-levels": "different levels",
  "no-steps": "fewer than 1 items",
  "one-of-without-question": "$oneOf is for open questions",
  "unknown-error-kind": "allowed values",
  "unknown-key": "additional properties",
  "unknown-matcher": "must match pattern",
  "unknown-operation": "does not exist",
  "unknown-requirement": "does not exist",
  "unknown-step": "required property",
  "way-out": "pattern",
};

/** Verdicts of the cases that must not fail, other than pass, with a correct adapter that supports only JSON. */
const PASSING: Readonly<Record<string, string>> = {
  assuming: "inapplicable",
  "needs-sqlite": "unsupported",
  observed: "observed",
  "other-answer": "observed",
  "strays-in-a-question": "observed",
  "unknown-answer": "observed",
  "other-version": "inapplicable",
  "written-by-another": "unsupported",
};

const verdictsOf = (cases: { id: string; verdict: string }[]) =>
  Object.fromEntries(cases.map((record) => [record.id.slice("runner/".length), record.verdict]));

describe("the runner", () => {
  it.each(runnerCases("invalid"))("refuses the case %s for its fault", (name) => {
    expect(REASONS).toHaveProperty(name);
    expect(() => loadCases(runnerCorpus("invalid", [name]), loadRequirements())).toThrow(REASONS[name]);
  });

  it.each(["valid-fail", "valid-pass"] as const)("gives every case of %s its verdict", async (kind) => {
    const { cases, summary } = await runWithLongTimeout({ adapter: fakeAdapter(), corpus: runnerCorpus(kind) });
    const wanted = runnerCases(kind).map((name) => [name, kind === "valid-fail" ? "fail" : (PASSING[name] ?? "pass")]);
    expect(verdictsOf(cases)).toEqual(Object.fromEntries(wanted));
    expect(cases.filter(({ verdict, failures }) => verdict === "fail" && failures.length === 0)).toEqual([]);
    expect(Object.values(summary.counts).reduce((total, count) => total + count)).toBe(wanted.length);
  });

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
      counts: { pass: 1, "not-run": 11, inapplicable: 2 },
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
