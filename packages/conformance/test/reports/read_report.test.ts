import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { suiteVersion } from "../../src/package_root.ts";
import { readReport } from "../../src/report/read_report.ts";
import type { ReportRecord } from "../../src/results/record.ts";
import { everything } from "./everything.ts";
import { caseRecord, stream } from "./sample_records.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const file = join(folder, "report.ndjson");
const lines = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");
const read = (content: string | Uint8Array): ReportRecord[] => {
  writeFileSync(file, content);
  return readReport(file);
};

describe("reading a report", () => {
  it("returns the written records", () => {
    expect(read(lines(everything()))).toEqual(JSON.parse(JSON.stringify(everything())));
  });

  const whole = stream([caseRecord("a/a"), caseRecord("b/b")]);
  const [run, ...rest] = whole as [ReportRecord, ...ReportRecord[]];
  const of = (kind: string) => whole.filter(({ record }) => record === kind);
  const without = (kind: string) => whole.filter(({ record }) => record !== kind);
  const changed = (kind: string, change: object) =>
    whole.map((record) => (record.record === kind ? { ...record, ...change } : record));

  it.each<[string, string | Uint8Array, RegExp]>([
    ["empty", "", /the file is empty/],
    ["cut off inside the last line", lines(whole).slice(0, -9), /line 12: the report is truncated/],
    ["cut off inside another line", lines(whole).slice(0, 400), /line 2: the report is truncated/],
    [
      "cut off between lines",
      lines(whole.slice(0, 5)),
      /line 5: the report is incomplete: it ends without its "end" record/,
    ],
    ["without its timing", lines(without("timing")), /line 11: .* without its "timing" record/],
    ["not JSON", `${lines([run])}{oops}\n`, /line 2: the line is not JSON/],
    ["a blank line", `${lines([run])}\n${lines(rest)}`, /line 2: the line is not JSON/],
    ["not UTF-8", Uint8Array.of(0xff, 0x0a), /not UTF-8/],
    ["a byte order mark", `\uFEFF${lines(whole)}`, /line 1: the line is not JSON/],
    ["another document", '{"patterns":[]}\n', /line 1: not a record of a report/],
    ["a very long version", `{"suite":"${"1".repeat(4000)}"}\n`, /^.{1,400}$/],
    ["an unknown key", lines(changed("end", { more: 1 })), /line 11: .*"more"/],
    ["a wrong verdict", lines(changed("case", { verdict: "great" })), /line 9: .*\/verdict/],
    ["no first record", lines(rest), /line 1: expected the first record to be "run"/],
    ["two first records", lines([run, ...whole]), /line 2: there is a second "run" record/],
    [
      "wrong order",
      lines([run, ...of("case"), ...of("requirement")]),
      /line 4: a "requirement" record must not follow/,
    ],
    ["a second judgement", lines([...without("timing"), ...of("end")]), /line 12: there is a second "end"/],
    [
      "something after the end",
      lines([...whole, ...of("case")]),
      /line 13: a "case" record must not follow a "timing"/,
    ],
    [
      "a requirement twice",
      lines([run, ...of("requirement"), ...rest]),
      /line 9: the requirement R-2.1\/one occurs twice/,
    ],
    [
      "cases out of order",
      lines([run, ...of("requirement"), ...of("case").toReversed(), ...of("end"), ...of("timing")]),
      /line 10: .*order of their ids, but a\/a follows b\/b/,
    ],
    ["a case twice", lines(changed("case", { id: "a/a" })), /line 10: .*a\/a follows a\/a/],
    [
      "an unknown requirement",
      lines(changed("case", { requirements: ["R-0/none"] })),
      /line 9: .*cites the requirement R-0\/none/,
    ],
    [
      "a missing case",
      lines(whole.filter((record) => !("id" in record && record.id === "b/b"))),
      /line 10: the end record counts 2 pass, but the report has 1/,
    ],
    [
      "another number of files",
      lines(changed("end", { case_files: 3 })),
      /line 11: the end record counts 3 case files/,
    ],
  ])("refuses one that is: %s", (_name, content, message) => {
    expect(() => read(content)).toThrow(message);
    expect(() => read(content)).toThrow(file);
  });

  it("reports that another version of the suite wrote it", () => {
    const old = lines([{ ...run, suite: "0.0.1", started_at: "2025-01-01" }, ...rest]);
    expect(() => read(old)).toThrow(`written by version 0.0.1 of the suite, and this is ${suiteVersion()}`);
  });

  it("names a missing file", () => {
    expect(() => readReport(join(folder, "none.ndjson"))).toThrow(/none\.ndjson: the report cannot be read: ENOENT/);
  });
});
