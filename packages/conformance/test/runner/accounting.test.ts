import { expect, it } from "vitest";
import { accountingFaults, conclude, countVerdicts } from "../src/runner/accounting.ts";
import type { CaseRecord, Verdict } from "../src/report/record.ts";

const record = (id: string, verdict: Verdict, level: CaseRecord["level"] = "must", scored = true): CaseRecord => ({
  record: "case",
  id,
  title: id,
  level,
  scored,
  verdict,
  requirements: [],
  failures: [],
  duration_ms: 0,
});

it("misses no case file, and finds verdicts that belong to none", () => {
  const records = [record("a/1", "pass"), record("a/1", "pass"), record("a/3", "fail")];
  expect(accountingFaults(records, ["a/1", "a/2"])).toEqual([
    "the case file a/2 has no verdict",
    "the verdict of a/3 belongs to no case file",
    "a case has two verdicts",
  ]);
  expect(countVerdicts(records)).toMatchObject({ pass: 2, fail: 1, crash: 0 });
});

it.each([
  [[record("a/1", "pass"), record("a/2", "inapplicable")], [], { conformant: true, exit_code: 0 }],
  [[record("a/1", "pass"), record("a/2", "not-run")], [], { conformant: false, exit_code: 0 }],
  [[record("a/1", "pass"), record("a/2", "unsupported")], [], { conformant: false, exit_code: 1 }],
  [[record("a/1", "pass"), record("a/2", "unsupported", "observe", false)], [], { conformant: true, exit_code: 0 }],
  [[record("a/1", "pass"), record("a/2", "fail", "should")], [], { conformant: true, exit_code: 1 }],
  [[record("a/1", "pass"), record("a/2", "fail", "extra", false)], [], { conformant: true, exit_code: 0 }],
  [[record("a/1", "pass"), record("a/2", "observed", "observe", false)], [], { conformant: true, exit_code: 0 }],
  [[record("a/1", "pass"), record("a/2", "crash")], [], { conformant: false, exit_code: 1 }],
  [[record("a/1", "pass"), record("a/2", "harness-error")], [], { conformant: false, exit_code: 3 }],
  [[record("a/1", "pass")], ["the case file a/2 has no verdict"], { conformant: false, exit_code: 3 }],
  [[record("a/1", "inapplicable")], [], { conformant: false, exit_code: 3 }],
  [[], [], { conformant: false, exit_code: 3 }],
] as const)("judgement %#", (records, faults, expected) => {
  expect(conclude(records, faults)).toEqual(expected);
});
