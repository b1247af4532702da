import { describe, expect, it } from "vitest";
import { badgeReport, badgeSvg } from "../../src/report/badge.ts";
import { caseRecord, failing, stream } from "./sample_records.ts";

describe("badges", () => {
  it.each([
    [[caseRecord("a/a")], {}, "1/1 must", "brightgreen"],
    [[caseRecord("a/a"), failing("a/b")], {}, "1/2 must", "red"],
    [[caseRecord("a/a"), failing("a/b", { level: "should" })], {}, "1/1 must", "yellow"],
    [[caseRecord("a/a"), caseRecord("a/b", { verdict: "not-run" })], {}, "1/2 must", "lightgrey"],
    [[failing("a/b", { expected: { verdict: "fail", kind: "bug", met: true } })], {}, "0/1 must", "yellow"],
    [[], {}, "no judgement", "lightgrey"],
  ])("%#", (cases, more, message, color) => {
    expect(JSON.parse(badgeReport(stream(cases, more)))).toEqual({
      schemaVersion: 1,
      label: "conformance 16",
      message,
      color,
    });
  });
  it("the image is self-contained and has its text", () => {
    const svg = badgeSvg(stream([caseRecord("a/a")], { run: { spec_version: "<16>", line: "<16>" } }));
    expect(svg).toContain("<title>conformance &lt;16&gt;: 1/1 must</title>");
    expect(svg).not.toContain(" id=");
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:|@import|<script|url\((?!#)/);
  });
});
