import { describe, expect, it } from "vitest";
import type { ReportRecord } from "../src/results/record.ts";
import { terminalReport } from "../src/report/terminal.ts";
import { everything, HOSTILE } from "./reports/everything.ts";
import { caseRecord, failing, stream } from "./reports/sample_records.ts";

const plain = (records: readonly ReportRecord[]): string => terminalReport(records, { colour: false });

it("shows requirement, place, expected and actual value, and the command that repeats the case on the same line", () => {
  const failure = { step: 2, check: "c", where: "call get", at: "/a", wanted: "1", got: "2\u0007\n\u202eforged" };
  const records = stream([failing("area/one", { title: "Something holds", failures: [failure] })], {
    run: { implementation: { name: "evil\u001b[2J", version: "1", language: "C" }, seed: 7 },
  });
  expect(plain(records))
    .toBe(`perdura-conformance 0.1.0: evil\\u001b[2J 1 (C, stdio), judged by specification 16.0.0, seed 7

FAIL area/one: Something holds
  requirement   R-2.1/one, section 2.1, must: What R-2.1/one asks for holds.
  where         step 2, call get, check c, at /a
  expected      1
  got           2\\u0007\\u000a\\u202eforged
  repeat with   npx @perdura/conformance run --adapter "./adapter" --line 16 --case area/one

1 case: 1 fail (1.5 s)
not conformant: 1 of 1 must cases did not pass
`);
});

describe("one case of every kind", () => {
  const text = plain(everything());

  it("highlights failures, crashes, missing operations, unexpected passes and stale entries", () => {
    expect(text.match(/^[A-Z].*?: /gm)).toEqual([
      "CRASH alpha/crashes: ",
      "FAIL alpha/fails: ",
      "UNEXPECTED PASS beta/fixed: ",
      "UNSUPPORTED beta/missing: ",
      "FAIL beta/hard (not scored): ",
      "DIFFERS FROM OUR RULING gamma/order (not scored): ",
      "UNEXPECTED beta/gone: ",
    ]);
    expect(text).toContain("unexpected    pass, and not as expected\n");
  });

  it("gives stderr, an expected failure in one line, and another answer", () => {
    expect(text).toContain("stderr        one\n                two\\u001b[0m\n");
    expect(text).toContain("expected failure  beta/known: fail (bug), https://example.org/7\n");
    expect(text).toContain("  observed      U-order: sorted by id\n");
  });

  it("ends with the counts and the verdict", () => {
    expect(text.split("\n").slice(-3)).toEqual([
      "10 cases: 2 pass, 3 fail, 1 crash, 1 unsupported, 1 inapplicable, 1 observed, 1 not-run; 1 as expected (1.5 s)",
      "not conformant: 5 of 6 must cases did not pass, 2 of them without a result, and 2 deviations from the expected-failure list",
      "",
    ]);
  });
});

it.each([
  [[caseRecord("a/a")], {}, "conformant: 1 of 1 must cases passed"],
  [
    [caseRecord("a/a"), failing("a/b", { level: "should" })],
    {},
    "conformant: 1 of 1 must cases passed, but 1 other scored case did not pass",
  ],
  [[caseRecord("a/a")], { run: { profile: "metrics" } }, "conformant (profile metrics): 1 of 1 must cases passed"],
  [[caseRecord("a/a"), caseRecord("a/b", { verdict: "not-run" })], {}, "not fully judged: 1 must case was not run"],
  [
    [failing("a/b", { expected: { verdict: "fail", kind: "bug", met: true } })],
    {},
    "not conformant, as expected: 1 expected failure, no other failures",
  ],
  [[failing("a/b")], {}, "not conformant"],
  [[caseRecord("a/b", { verdict: "harness-error", reason: "x" })], {}, "no judgement"],
  [[], { end: { notes: ["nothing was run\u001b"] } }, "note: nothing was run\\u001b\n0 cases (1.5 s)\nno judgement"],
])("verdict %#", (cases, more, words) => {
  expect(plain(stream(cases, more))).toContain(`\n${words}`);
});

it("colours only when asked", () => {
  expect(plain(everything())).not.toContain("\u001b");
  expect(terminalReport(everything(), { colour: true })).toContain("\u001b[31mCRASH\u001b[0m");
});

it("keeps the blocks of many failures short, and the part of a long value that differs", () => {
  const long = "same ".repeat(100);
  const failure = { step: 1, where: "call get", at: "", wanted: `${long}A`, got: `${long}B` };
  const many = Array.from({ length: 12 }, (_, index) =>
    failing(`a/case-${index}`, { requirements: ["R-2.1/one", "R-4.1/save"], failures: [failure, failure, failure] }),
  );
  const text = plain(stream(many));
  expect(text).toContain("  and           R-4.1/save\n");
  expect(text).toContain("  and           1 more difference\n");
  expect(text).toMatch(/ expected +….{30}A\n +got +….{30}B\n/);
});

it("summarises cases of undeclared capabilities, without advice to start there", () => {
  const reason = "the adapter does not declare state";
  const missing = Array.from({ length: 7 }, (_, index) =>
    caseRecord(`state/c-${index}`, { verdict: "unsupported", reason }),
  );
  const text = plain(stream(missing));
  expect(text).toContain(
    `UNSUPPORTED 7 cases: ${reason}\n  state/c-0, state/c-1, state/c-2, state/c-3, state/c-4 and 2 more\n`,
  );
  expect(text).not.toMatch(/Start with|repeat with/);
});

it("escapes all text of an implementation", () => {
  const failure = { step: 1, where: HOSTILE, at: HOSTILE, wanted: HOSTILE, got: HOSTILE };
  const hostile = failing("a/evil", { title: HOSTILE, reason: HOSTILE, diagnostics: HOSTILE, failures: [failure] });
  const text = plain(
    stream([hostile], { run: { adapter: HOSTILE, option: HOSTILE, implementation: null }, end: { notes: [HOSTILE] } }),
  );
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u2028-\u202e\ud800]/);
});

it("refuses an incomplete stream", () => {
  expect(() => plain(everything().slice(0, 3))).toThrow(/is incomplete/);
});
