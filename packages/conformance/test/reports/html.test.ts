import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { difference } from "../../src/report/html/case_card.ts";
import { Markup, markup } from "../../src/report/html/markup.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import type { ReportRecord } from "../../src/results/record.ts";
import { everything, HOSTILE } from "./everything.ts";
import { caseRecord, failing, stream } from "./sample_records.ts";

const page = htmlReport(everything());
const headline = (records: readonly ReportRecord[]): string =>
  /<h1>(.*?)<\/h1>/.exec(htmlReport(records))?.[1]?.replace(/<.*?>/g, "") ?? "";

describe("the HTML report", () => {
  it("allows its own style and script by their hashes, and nothing else", () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
    const hash = (tag: string): string => {
      const text = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(page)?.[1] as string;
      return `sha256-${createHash("sha256").update(text).digest("base64")}`;
    };
    expect(policy).toBe(
      `default-src 'none'; style-src '${hash("style")}'; script-src '${hash("script")}'; base-uri 'none'; form-action 'none'`,
    );
    expect(page).not.toMatch(/ (src|style|on[a-z]+)=|@import|url\(/);
  });

  it("expands only failures", () => {
    const opened = [...page.matchAll(/<details class="case" id="case-([^"]+)"[^>]*? open>/g)].map(([, id]) => id);
    expect(opened).toEqual(["alpha/crashes", "alpha/fails", "beta/fixed", "beta/missing", "beta/hard"]);
    expect(page).toMatch(/<details class="requirement" id="R-2.1\/one" open>/);
    expect(page).toMatch(/<details class="requirement" id="U-order">/);
  });

  it("shows every case once, and links to it from its other requirements", () => {
    expect(page.match(/ id="case-alpha\/fails"/g)).toHaveLength(1);
    expect(page.match(/<p class="see" data-case="alpha\/fails">/g)).toHaveLength(1);
  });

  it("shows unchecked requirements, wrong entries of the list, and durations", () => {
    expect(page).toContain("Nothing of it can be seen.");
    expect(page).toContain('<span class="mono">beta/gone</span>: the entry is stale');
    expect(page).toMatch(/<dt>Duration<\/dt><dd>1\.5 s<\/dd>/);
    expect(page).toContain('<a href="https://example.org/7" rel="noopener noreferrer">');
  });

  it.each([
    [stream([caseRecord("a/a")]), "acme 1.2.0 conforms to version 16.0.0: 1 of 1 must cases passed."],
    [stream([failing("a/a")]), "acme 1.2.0 does not conform to version 16.0.0: 1 of 1 must cases did not pass."],
    [
      stream([caseRecord("a/a"), failing("a/b", { level: "should" })]),
      "acme 1.2.0 conforms to version 16.0.0: 1 of 1 must cases passed, but 1 other scored case did not.",
    ],
    [
      stream([caseRecord("a/a"), caseRecord("a/b", { verdict: "not-run" })]),
      "acme 1.2.0 was not fully judged against version 16.0.0: 1 of 2 must cases were not run.",
    ],
    [
      stream([failing("a/b", { expected: { verdict: "fail", kind: "bug", met: true } })]),
      "acme 1.2.0 does not conform to version 16.0.0, as expected: 1 expected failure, no other failures.",
    ],
    [
      stream([], { run: { implementation: null, spec_version: null } }),
      "There is no judgement on ./adapter: no case was run, or the suite itself failed.",
    ],
  ])("the verdict in one sentence %#", (records, sentence) => {
    expect(headline(records)).toBe(sentence);
  });
});

describe("the pieces", () => {
  it("a template escapes every value except markup", () => {
    expect(markup`<p title="${'"'}">${"<b>"}${3}${undefined}${markup`<i>${"&"}</i>`}</p>`.text).toBe(
      '<p title="&quot;">&lt;b&gt;3<i>&amp;</i></p>',
    );
    expect(markup`${HOSTILE}`.text).not.toMatch(/[<>"']|[\u0000-\u001f\u2028-\u202e\ufffe\ud800]/);
    expect(markup`${[new Markup("<b>"), new Markup("</b>")]}`.text).toBe("<b></b>");
  });

  it("marks the part that differs, and nothing if there is little in common", () => {
    const { wanted, got } = difference('"2025-03-01"', '"2025-03-21"');
    expect([wanted.text, got.text]).toEqual([
      "&quot;2025-03-<mark>0</mark>1&quot;",
      "&quot;2025-03-<mark>2</mark>1&quot;",
    ]);
    expect(difference("0", "null").got.text).toBe("null");
    expect(difference("aaaa😀bbbb", "aaaa😁bbbb").got.text).toBe("aaaa<mark>😁</mark>bbbb");
    expect(difference("aaaa\ud83dbbbb", "aaaabbbb").wanted.text).toBe("aaaa<mark>\\ud83d</mark>bbbb");
  });
});
