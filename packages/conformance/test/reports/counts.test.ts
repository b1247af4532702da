import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { violations } from "../../src/values/schemas.ts";
import { FORMATS, renderReport } from "../../src/report/formats.ts";
import { VERDICTS, type ReportRecord, type Verdict } from "../../src/results/record.ts";
import { viewOf } from "../../src/results/report_view.ts";
import { statusOf, strayDeviations, type CaseStatus } from "../../src/results/case_status.ts";
import { summarise } from "../../src/results/summary.ts";
import { STEERING } from "../../../../test/hostile/steering.ts";
import { anyStream } from "./arbitrary_records.ts";

const matches = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;

/** Number of cases with each verdict, and each status, according to the records alone. */
function countsOf(records: readonly ReportRecord[]) {
  const view = viewOf(records);
  const verdicts = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, view.cases.filter((record) => record.verdict === verdict).length]),
  ) as Record<Verdict, number>;
  const status = (wanted: CaseStatus): number =>
    view.cases.filter((record) => statusOf(record, view) === wanted).length;
  return { verdicts, status, cases: view.cases.length, stray: strayDeviations(view).length };
}

function property(check: (records: ReportRecord[]) => void): void {
  fc.assert(fc.property(anyStream, check), { numRuns: 200 });
}

describe("the counts of every report are those of the records", () => {
  it("the generated records are valid records of a report", () =>
    property((records) => {
      expect(records.flatMap((record) => violations("report", record))).toEqual([]);
    }));

  it("json", () =>
    property((records) => {
      const { verdicts, cases } = countsOf(records);
      expect(summarise(records)).toMatchObject({ counts: verdicts, case_files: cases });
      expect(violations("summary", JSON.parse(renderReport("json", [records])))).toEqual([]);
    }));

  it("terminal", () =>
    property((records) => {
      const { verdicts, cases } = countsOf(records);
      const counted = VERDICTS.filter((verdict) => verdicts[verdict] > 0).map((v) => `${verdicts[v]} ${v}`);
      const text = renderReport("terminal", [records]);
      expect(text.split("\n").at(-3)).toMatch(new RegExp(`^${cases} cases?(: )?${counted.join(", ")}`));
    }));

  it("junit", () =>
    property((records) => {
      const { status, cases, stray } = countsOf(records);
      const xml = renderReport("junit", [records]);
      expect(matches(xml, /<testcase /g)).toBe(cases + stray);
      expect(matches(xml, /<(failure|error) /g)).toBe(status("unexpected") + stray);
      expect(matches(xml, /<skipped /g)).toBe(status("skipped") + status("expected") + status("unscored"));
      const total = /<testsuites name="[^"]*" tests="(\d+)" failures="(\d+)" errors="(\d+)" skipped="(\d+)"/.exec(xml);
      const [tests, failures, errors, skipped] = (total ?? []).slice(1).map(Number) as [number, number, number, number];
      expect([tests, failures + errors]).toEqual([cases + stray, status("unexpected") + stray]);
      expect(skipped).toBe(matches(xml, /<skipped /g));
    }));

  it("markdown", () =>
    property((records) => {
      const { verdicts, cases } = countsOf(records);
      const text = renderReport("markdown", [records]);
      const shown = (verdict: Verdict) => Number(new RegExp(`^\\| ${verdict} +\\| (\\d+) `, "m").exec(text)?.[1] ?? 0);
      expect(Object.fromEntries(VERDICTS.map((verdict) => [verdict, shown(verdict)]))).toEqual(verdicts);
      expect(text).toMatch(new RegExp(`^\\| cases +\\| ${cases} `, "m"));
    }));

  it("badge", () =>
    property((records) => {
      const { passed, applicable } = summarise(records).levels.must;
      const [, title = ""] = /<title>(.*)<\/title>/.exec(renderReport("badge", [records])) ?? [];
      const [, message = "none"] = /^[^:]*: (.*)$/.exec(title) ?? [];
      expect(["no judgement", `${passed}/${applicable} must`]).toContain(message.replace(/, \d+\/\d+ rulings$/, ""));
      expect(renderReport("badge", [records])).toContain(`>${message}</text>`);
    }));

  it("html", () =>
    property((records) => {
      const { verdicts, cases } = countsOf(records);
      const page = renderReport("html", [records]);
      expect(matches(page, /<details class="case"/g)).toBe(cases);
      const shown = (verdict: Verdict) =>
        matches(page, new RegExp(`<details class="case"[^>]* data-verdict="${verdict}"`, "g"));
      expect(Object.fromEntries(VERDICTS.map((verdict) => [verdict, shown(verdict)]))).toEqual(verdicts);
    }));
});

it("the same records give the same text, in every format", () =>
  property((records) => {
    const render = (given: ReportRecord[]) => FORMATS.map((format) => renderReport(format, [given]));
    expect(render(structuredClone(records))).toEqual(render(records));
  }));

it.each(FORMATS)("%s: no text of the records controls a terminal or becomes markup", (format) =>
  property((records) => {
    const text = renderReport(format, [records], { colour: false });
    expect(text).not.toMatch(STEERING);
    // A code span contains no markup.
    const outside = text.replace(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
    if (format === "markdown") expect(outside).not.toMatch(/(?<!\\)<\w/);
  }),
);
