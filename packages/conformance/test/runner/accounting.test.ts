import { expect, it } from "vitest";
import { accountingFaults, conclude, countVerdicts } from "../../src/runner/accounting.ts";
import type { CaseRecord, Verdict } from "../../src/results/record.ts";

const record = (id: string, verdict: Verdict, level: CaseRecord["level"] = "must", scored = true): CaseRecord => ({
  record: "case",
  id,
  title: id,
  level,
  scored,
  verdict,
  requirements: [],
  failures: [],
});

it("finds case files without a verdict, and verdicts without a case file", () => {
  const records = [record("a/1", "pass"), record("a/1", "pass"), record("a/3", "fail")];
  expect(accountingFaults(records, ["a/1", "a/2"])).toEqual([
    "the case file a/2 has no verdict",
    "the verdict of a/3 has no case file",
    "a case has two verdicts",
  ]);
  expect(countVerdicts(records)).toMatchObject({ pass: 2, fail: 1, crash: 0 });
});

it.each([
  [[record("a/1", "pass"), record("a/2", "inapplicable")], 0, { conformant: true, exit_code: 0 }],
  [[record("a/1", "pass"), record("a/2", "not-run")], 0, { conformant: false, exit_code: 0 }],
  [
    [record("a/1", "pass"), { ...record("a/2", "not-run"), outside_profile: true }],
    0,
    { conformant: true, exit_code: 0 },
  ],
  [[record("a/1", "pass"), record("a/2", "unsupported")], 1, { conformant: false, exit_code: 4 }],
  [[record("a/1", "pass"), record("a/2", "unsupported", "observe", false)], 0, { conformant: true, exit_code: 0 }],
  [[record("a/1", "pass"), record("a/2", "fail", "should")], 1, { conformant: true, exit_code: 4 }],
  [[record("a/1", "pass"), record("a/2", "fail", "extra", false)], 0, { conformant: true, exit_code: 0 }],
  [[record("a/1", "pass"), record("a/2", "fail")], 0, { conformant: false, exit_code: 0 }],
  [[record("a/1", "pass"), record("a/2", "observed", "observe", false)], 0, { conformant: true, exit_code: 0 }],
  [[record("a/1", "pass"), record("a/2", "crash")], 1, { conformant: false, exit_code: 4 }],
  [[record("a/1", "pass"), record("a/2", "harness-error")], 0, { conformant: false, exit_code: 1 }],
  [[record("a/1", "inapplicable")], 0, { conformant: false, exit_code: 1 }],
  [[], 0, { conformant: false, exit_code: 1 }],
] as const)("judgement %#", (records, deviations, expected) => {
  expect(conclude(records, [], deviations)).toEqual(expected);
});

it("a fault of the accounting is a fault of the suite", () => {
  expect(conclude([record("a/1", "pass")], ["the case file a/2 has no verdict"], 0)).toEqual({
    conformant: false,
    exit_code: 1,
  });
});
