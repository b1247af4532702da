import { describe, expect, it } from "vitest";
import { htmlReport } from "../../src/report/html/page.ts";
import { junitReport } from "../../src/report/junit.ts";
import { commonFailures, likelyRequirement } from "../../src/results/common_failures.ts";
import type { CaseRecord, Failure } from "../../src/results/record.ts";
import { viewOf } from "../../src/results/report_view.ts";
import { terminalReport } from "../../src/report/terminal.ts";
import { caseRecord, failing, stream } from "./sample_records.ts";

const plain = (cases: CaseRecord[]): string => terminalReport(stream(cases), { colour: false });
const failed = (more: Partial<Failure>): Failure => ({
  step: 1,
  where: "call get",
  at: "",
  wanted: "no error",
  got: "1",
  ...more,
});

it("with many failures: sections, most cases first, common failures, and the likely requirement", () => {
  const cases = ["R-4.1/save", "R-2.1/one", "R-2.1/one", "R-2.1/two", "R-2.10/late", "X-many"].map((id, index) =>
    failing(`a/c-${index}`, { requirements: [id], scored: id !== "X-many" }),
  );
  expect(plain(cases)).toContain(`
Failed by requirement (5 cases)
  2.1 Pattern record      3 cases  R-2.1/one (2), R-2.1/two (1)
  2.10 A late section      1 case  R-2.10/late (1)
  4.1 PatternPersistence   1 case  R-4.1/save (1)
Start with R-2.1/one: What R-2.1/one asks for holds.
  npx @perdura/conformance run --adapter "./adapter" --line 16 --requirement R-2.1/one

6 cases: 6 fail (1.5 s)
not conformant: 5 of 5 must cases did not pass
`);
  expect(plain(cases).split("\n")[2]).toBe(
    '1 cause, 5 cases: expected "2025-03-01" at …/a, got "2025-03-02" (see a/c-0)',
  );
  expect(plain(cases.slice(0, 2))).not.toMatch(/Start with|causes?, /);
  expect(htmlReport(stream(cases))).toContain('(see <a href="#case-a/c-0" class="mono">a/c-0</a>)</li>');
});

describe("the requirement to start with", () => {
  const likely = (...cases: [id: string, requirement: string][]) =>
    likelyRequirement(viewOf(stream(cases.map(([id, row]) => failing(id, { requirements: [row] })))))?.row.id;

  it("is a must before any number of shoulds", () => {
    expect(likely(["a/a", "R-2.1/two"], ["a/b", "R-2.1/two"], ["z/z", "R-4.1/save"])).toBe("R-4.1/save");
  });

  it("is one with direct cases before one that fails through other files", () => {
    const roundabout: [string, string][] = ["cross-line/a", "cross-format/b", "migration/c"].map((id) => [
      id,
      "R-2.1/one",
    ]);
    expect(likely(...roundabout)).toBe("R-2.1/one");
    expect(likely(...roundabout, ["state/a", "R-4.1/save"])).toBe("R-4.1/save");
  });
});

describe("common failures", () => {
  const complaints = (...failures: Partial<Failure>[]): string[] =>
    commonFailures(
      viewOf(stream(failures.map((more, index) => failing(`a/c-${index}`, { failures: [failed(more)] })))),
    ).map(({ text }) => text);

  it("are reported for at least three cases, by the name of the place", () => {
    const at = ["/patterns/0/last_used", "/rows/3/last_used", "/last_used/7"].map((pointer) => ({ at: pointer }));
    expect(complaints(...at)).toEqual(["3 cases: expected no error at …/last_used, got 1"]);
    expect(complaints(...at.slice(1))).toEqual([]);
    expect(complaints({ at: "/a" }, { at: "/b" }, { at: "/c" })).toEqual([]);
    expect(complaints({ wanted: "2" }, { wanted: "3" }, { wanted: "4" })).toEqual([]);
  });

  it("of errors have one message, or a common beginning except for paths and numbers", () => {
    const error = (message: string): Partial<Failure> => ({ got: `error other (${message})`, error: message });
    const column = error("DatabaseError: no such column: level");
    expect(complaints(column, column, { ...column, wanted: "1" })).toEqual([
      "3 cases: DatabaseError: no such column: level",
    ]);
    expect(
      complaints(...[1, 2, 3].map((number) => error(`IOError: cannot read '<sandbox>/c-${number}/x.db' (${number})`))),
    ).toEqual(["3 cases: IOError: cannot read '<path>' (…"]);
    expect(complaints(error("A: one"), error("B: one"), error("C: one"))).toEqual([]);
  });

  it("are counted once for a case, and not repeated for fewer cases", () => {
    const twice = ["a/a", "a/b", "a/c"].map((id) =>
      failing(id, { failures: [failed({}), failed({}), failed({ got: "2" })] }),
    );
    expect(commonFailures(viewOf(stream(twice))).map(({ text }) => text)).toEqual([
      "3 cases: expected no error, got 1",
    ]);
  });

  it("omit long values, and files outside a directory, which are reported separately", () => {
    const long = { got: "x".repeat(200) };
    expect(complaints(long, long, long)).toEqual([]);
    const breach = { check: "sandbox", got: '"evil"' };
    expect(complaints(breach, breach, breach)).toEqual([]);
  });

  it("of a failing adapter come before any requirement, with the line of stderr that names the error", () => {
    const crashes = ["cross-line/a", "state/b", "state/c"].map((id) =>
      caseRecord(id, {
        verdict: "crash",
        reason: "the adapter ended (exit code 1)",
        diagnostics: "ValueError: x\nbye\n",
      }),
    );
    expect(plain(crashes)).toContain(`
Start with the first cause: the adapter itself fails
  npx @perdura/conformance run --adapter "./adapter" --line 16 --case state/b
`);
    expect(plain(crashes).split("\n")[2]).toBe(
      "1 cause, 3 cases: crash: the adapter ended (exit code 1); stderr: ValueError: x (see state/b)",
    );
    expect(htmlReport(stream(crashes))).toContain(
      'Start with <a href="#case-state/b" class="mono">state/b</a>, where the adapter itself fails',
    );
  });

  it("of a failing adapter are those with one reason, whatever the step; the step of the example is shown", () => {
    const reason = 'the adapter\'s answer is not JSON: at character 1, "<html>"';
    const faults = [1, 2, 3].map((step) =>
      caseRecord(`state/c-${step}`, { verdict: "protocol-error", reason, place: `step ${step}, call op_${step}` }),
    );
    const report = plain(faults);
    expect(report.split("\n")[2]).toBe(
      `1 cause, 3 cases: protocol-error: ${reason} (see state/c-1, step 1, call op_1)`,
    );
    expect(report).toContain(`reason        step 2, call op_2: ${reason}`);
    expect(htmlReport(stream(faults))).toContain("state/c-1</a>, step 1, call op_1)</li>");
    expect(junitReport(stream(faults))).toContain("[step 3, call op_3: the adapter");
  });
});
