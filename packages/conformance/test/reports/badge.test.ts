import { describe, expect, it } from "vitest";
import { badgeSvg } from "../../src/report/badge.ts";
import { caseRecord, failing, stream } from "./sample_records.ts";

describe("badges", () => {
  it.each([
    [[caseRecord("a/a")], {}, "1/1 must", "#2c7a3f"],
    [[caseRecord("a/a"), failing("a/b")], {}, "1/2 must", "#b3261e"],
    [[caseRecord("a/a"), failing("a/b", { level: "should" })], {}, "1/1 must", "#8a6100"],
    [[caseRecord("a/a"), caseRecord("a/b", { verdict: "not-run" })], {}, "1/2 must", "#5f6670"],
    [[failing("a/b", { expected: { verdict: "fail", kind: "bug", met: true } })], {}, "0/1 must", "#8a6100"],
    [[], {}, "no judgement", "#5f6670"],
  ])("%#", (cases, more, message, color) => {
    const svg = badgeSvg(stream(cases, more));
    expect(svg).toContain(`<title>conformance 16: ${message}</title>`);
    expect(svg).toContain(`fill="${color}"`);
  });

  it("the image is self-contained and has its text", () => {
    const svg = badgeSvg(stream([caseRecord("a/a")], { run: { spec_version: "<16>", line: "<16>" } }));
    expect(svg).toContain("<title>conformance &lt;16&gt;: 1/1 must</title>");
    expect(svg).not.toContain(" id=");
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:|@import|<script|url\((?!#)/);
  });
});
