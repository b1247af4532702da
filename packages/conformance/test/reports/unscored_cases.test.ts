import { describe, expect, it } from "vitest";
import { htmlReport } from "../../src/report/html/page.ts";
import { junitReport } from "../../src/report/junit.ts";
import type { CaseRecord, RunRecord } from "../../src/results/record.ts";
import { terminalReport } from "../../src/report/terminal.ts";
import { caseRecord, failing, observed, stream } from "./sample_records.ts";

const plain = (cases: CaseRecord[], run: Partial<RunRecord> = {}): string =>
  terminalReport(stream(cases, { run }), { colour: false });
const passing = Array.from({ length: 12 }, (_, index) => caseRecord(`passes/c-${String(index).padStart(2, "0")}`));
const left = Array.from({ length: 12 }, (_, index) =>
  caseRecord(`left/c-${String(index).padStart(2, "0")}`, { verdict: "not-run", reason: "not selected" }),
);

const hard = (id: string): CaseRecord => failing(id, { level: "extra", scored: false, requirements: ["X-many"] });

describe("an answer that differs from our ruling", () => {
  it("has a block with the ruling, the answer and the command in a short run", () => {
    expect(plain([...left, observed("a/order")], { choices: { "U-order": "by the moon" } })).toContain(`
DIFFERS FROM OUR RULING a/order (not scored): a/order holds
  requirement   U-order, section 2.1, observe: Patterns keep the order in which they were added.
  observed      U-order: sorted by id
  declared      U-order: by the moon
  where         step 2, call get, check c, at /a
  our ruling    "2025-03-01"
  got           "2025-03-02"
  repeat with   npx @perdura/conformance run --adapter "./adapter" --line 16 --case a/order

`);
  });

  it("has one line in a long run, with the observed and the declared answer", () => {
    const cases = [
      ...passing,
      observed("a/known"),
      observed("a/other", { answers: { "U-order": "other" } }),
      observed("a/untold", { answers: {} }),
    ];
    const lines = (text: string): string[] => text.split("\n").filter((line) => line.startsWith("other answer"));
    expect(lines(plain(cases))).toEqual([
      "other answer  U-order: sorted by id (a/known)",
      "other answer  U-order: none of the known answers (a/other)",
      "other answer  U-order: differs from our ruling (a/untold)",
    ]);
    expect(lines(plain(cases, { choices: { "U-order": "by the moon" } }))[0]).toBe(
      "other answer  U-order: sorted by id (a/known); declared: by the moon",
    );
    expect(plain(cases)).not.toContain("DIFFERS");
  });
});

it("lists the answers that are as ruled and not declared, in the form of choices", () => {
  const ruled = observed("a/ruled", { as_ruled: true, answers: { "U-order": "insertion" }, failures: [] });
  const line = 'answers as ruled, not declared: "U-order": "ruled"';
  expect(plain([...passing, ruled])).toContain(`\n\n${line}\n\n`);
  expect(plain([...passing, ruled, observed("a/other")])).not.toContain("not declared");
  expect(plain([...passing, ruled], { choices: { "U-order": "ruled" } })).not.toContain("not declared");
  expect(plain([...left, ruled])).not.toContain("not declared");
});

it("names the scored cases that need what the adapter does not declare", () => {
  const missing = (id: string, group: string): CaseRecord =>
    caseRecord(id, { level: "should", verdict: "unsupported", reason: `the adapter does not declare ${group}` });
  const text = plain([
    ...passing,
    ...["a/a", "a/b", "a/c", "a/d"].map((id) => missing(id, "export")),
    missing("b/a", "usage"),
  ]);
  expect(text).toContain(`
5 scored cases, none of them a must, have no result
  the adapter does not declare export: a/a, a/b, a/c and 1 more
  the adapter does not declare usage: b/a

`);
  expect(text).toContain("but 5 other scored cases did not pass");
  const listed = missing("a/a", "export");
  listed.expected = { verdict: "unsupported", kind: "missing", met: true };
  expect(plain([...passing, listed])).not.toContain("have no result");
});

it("lists unscored failures after scored ones, in a line each, in a short run in a block each", () => {
  const lines = plain([...passing, hard("a/hard"), failing("b/counts"), hard("c/hard")]).split("\n");
  const at = (start: string): number => lines.findIndex((line) => line.startsWith(start));
  expect(at("2 failures are not scored")).toBeGreaterThan(at("FAIL b/counts: "));
  expect(lines).toContain('  fail  a/hard: a/hard holds (expected "2025-03-01", got "2025-03-02")');
  expect(plain([hard("a/hard")])).not.toMatch(/failures? (?:is|are) not scored/);
  expect(plain([hard("a/hard"), failing("b/counts")])).toMatch(/FAIL b\/counts: [^]*FAIL a\/hard \(not scored\): /);
});

describe("a case that wrote outside its directory", () => {
  const breach = { step: 2, check: "sandbox", where: "after the last step", at: "", wanted: "nothing", got: '"evil"' };
  const strayed = failing("a/strays", { ...observed("a/strays"), verdict: "fail", scored: true, failures: [breach] });

  it("is highlighted in the terminal report, whatever else differs", () => {
    const many = [...strayed.failures, ...Array.from({ length: 9 }, () => ({ ...breach, check: "c" }))].toReversed();
    const text = plain([...passing, { ...strayed, failures: many }]);
    expect(text).toContain("FAIL a/strays WROTE OUTSIDE ITS DIRECTORY: a/strays holds\n");
    expect(text).toContain('  outside       wrote outside its directory: "evil"\n');
    expect(text).toContain("\nnot conformant: 1 case wrote outside its directory\n");
  });

  it("is highlighted in HTML and JUnit", () => {
    const page = htmlReport(stream([strayed]));
    expect(page).toContain('<p class="loud">1 case wrote outside its directory: <a href="#case-a/strays"');
    expect(page).toContain('<span class="tag loud">wrote outside its directory</span>');
    expect(page).toContain('<p class="loud">This case wrote outside its directory: <code>&quot;evil&quot;</code></p>');
    expect(junitReport(stream([{ ...strayed, failures: [...failing("x/x").failures, breach] }]))).toContain(
      "check sandbox: expected nothing, got &quot;evil&quot;]",
    );
  });

  it("does not count as an answer to an open question", () => {
    const { answers, ...silent } = strayed;
    expect(answers).toBeDefined();
    expect(htmlReport(stream([silent]))).toContain("observed: as ruled");
  });
});
