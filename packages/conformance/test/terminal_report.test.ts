import { expect, it } from "vitest";
import type { CaseRecord, EndRecord, RunRecord } from "../src/report/record.ts";
import { summarise } from "../src/report/summary.ts";
import { terminalReport } from "../src/report/terminal.ts";
import { conclude, countVerdicts } from "../src/runner/accounting.ts";

const run: RunRecord = {
  record: "run",
  suite: "0.1.0",
  started_at: "2025-01-01T00:00:00.000Z",
  adapter: "./adapter",
  transport: "stdio",
  option: '--adapter "./adapter"',
  line: "16",
  spec_version: "16.0.0",
  implementation: { name: "evil\u001b[2J", version: "1", language: "C" },
  capabilities: [],
  choices: {},
};
const base: CaseRecord = {
  record: "case",
  id: "area/one",
  title: "Something holds",
  level: "must",
  scored: true,
  verdict: "fail",
  requirements: [{ id: "R-1/x", section: "1", statement: "It holds." }],
  failures: [{ step: 2, check: "c", where: "call get", at: "/a", wanted: "1", got: "2\u0007\n\u202eforged" }],
  duration_ms: 1,
};
const report = (...cases: CaseRecord[]) => {
  const end: EndRecord = {
    record: "end",
    counts: countVerdicts(cases),
    case_files: cases.length,
    ...conclude(cases, []),
    notes: [],
    duration_ms: 1500,
  };
  return [run, ...cases, end];
};

it("tells requirement, place, wanted, got and the command that repeats the case", () => {
  expect(terminalReport(report(base), { colour: false }))
    .toBe(`perdura-conformance 0.1.0: evil\\u001b[2J 1 (C, stdio), judged by specification 16.0.0

FAIL area/one: Something holds
  requirement   R-1/x, section 1, must: It holds.
  where         step 2, call get, check c, at /a
  wanted        1
  got           2\\u0007\\u000a\\u202eforged
  again         perdura-conformance run --adapter "./adapter" --line 16 --case area/one

1 cases: 1 fail (1.5 s)
not conformant
`);
});

it("colours only when asked, and shows the end of stderr for a crash", () => {
  const crash: CaseRecord = {
    ...base,
    verdict: "crash",
    failures: [],
    reason: "the adapter ended",
    diagnostics: "one\ntwo\u001b[0m\n",
  };
  const plain = terminalReport(report(crash), { colour: false });
  expect(plain).toContain("stderr        one\n                two\\u001b[0m\n");
  expect(plain).not.toContain("\u001b");
  expect(terminalReport(report(crash), { colour: true })).toContain("\u001b[31mCRASH\u001b[0m");
});

it("names what was observed to differ, without blame", () => {
  const observed: CaseRecord = { ...base, level: "observe", scored: false, verdict: "observed", as_ruled: false };
  const text = terminalReport(report({ ...base, verdict: "pass", failures: [] }, { ...observed, id: "area/two" }), {
    colour: false,
  });
  expect(text).toContain("observed differently  area/two  R-1/x");
  expect(text).toContain("conformant: every must passed");
});

it("the summary lists what needs attention", () => {
  expect(summarise(report(base, { ...base, id: "area/two", verdict: "pass" }))).toMatchObject({
    exit_code: 1,
    attention: [{ id: "area/one", verdict: "fail" }],
  });
  expect(() => summarise([run])).toThrow(/not complete/);
});
