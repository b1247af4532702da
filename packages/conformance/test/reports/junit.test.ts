import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { junitReport } from "../../src/report/junit.ts";
import { anyStream } from "./arbitrary_records.ts";
import { everything, HOSTILE } from "./everything.ts";
import { caseRecord, failing, stream } from "./sample_records.ts";
import { needs } from "../../../../test/needs.ts";

describe("JUnit", () => {
  const xml = junitReport(everything());
  const caseOf = (name: string): string =>
    new RegExp(`<testcase classname="[a-z-]+" name="${name}"(?:[^>]*/>|[^]*?</testcase>)`).exec(xml)?.[0] ?? "";

  it("maps every kind of case", () => {
    expect(caseOf("passes")).toBe('<testcase classname="alpha" name="passes" time="0.003"/>');
    expect(caseOf("fails")).toContain(
      '<failure type="fail" message="alpha/fails holds [step 2, call get, check c, at /a: expected',
    );
    expect(caseOf("fails")).toContain("repeat with: npx @perdura/conformance run");
    expect(caseOf("crashes")).toMatch(/<error type="crash" message=".*the adapter ended.*"/);
    expect(caseOf("crashes")).toContain("<system-err>one\ntwo\\u001b[0m</system-err>");
    expect(caseOf("known")).toContain('<skipped message="expected failure: fail (bug), https://example.org/7"/>');
    expect(caseOf("fixed")).toContain('<failure type="pass"');
    expect(caseOf("missing")).toContain('<failure type="unsupported"');
    expect(caseOf("other-line")).toContain('<skipped message="inapplicable: does not apply to 16.0.0"/>');
    expect(caseOf("hard")).toContain('<skipped message="not scored: fail"/>');
    expect(caseOf("order")).toContain("<system-out>observed, not scored: U-order: sorted by id</system-out>");
    expect(caseOf("left-out")).toContain('<skipped message="not-run: not selected"/>');
    expect(caseOf("beta/gone")).toContain('<error type="deviation" message="the entry is stale"/>');
    expect(xml.match(/<testsuite name="[^"]*"/g)).toEqual(
      ["alpha", "beta", "gamma", "perdura-conformance"].map((name) => `<testsuite name="${name}"`),
    );
  });

  it.each(["timeout", "protocol-error", "harness-error"] as const)(
    "a case with the verdict %s is an error",
    (verdict) => {
      expect(junitReport(stream([caseRecord("a/a", { verdict })]))).toContain(`<error type="${verdict}"`);
    },
  );

  it("is not green if nothing was run", () => {
    const nothing = stream([caseRecord("a/a", { verdict: "not-run", reason: "the adapter did not start" })], {
      end: { notes: ["the adapter did not start: crash"] },
    });
    expect(junitReport(nothing)).toContain('<error type="deviation" message="the adapter did not start: crash"/>');
  });

  const python = spawnSync("python3", ["--version"]).status === 0;
  it("is well-formed for a strict parser", needs("python", !python), () => {
    const evil = failing("a/evil", { title: HOSTILE, reason: HOSTILE, diagnostics: HOSTILE });
    const documents = [xml, junitReport(stream([evil])), ...fc.sample(anyStream, 100).map(junitReport)];
    const program =
      "import sys, xml.etree.ElementTree as t\nfor d in sys.stdin.buffer.read().split(b'\\0'): print(len(list(t.fromstring(d).iter('testcase'))))";
    const parse = (input: string[]) =>
      spawnSync("python3", ["-c", program], { input: input.join("\0"), encoding: "utf8" });
    const points = documents.map((text) => text.split("<testcase ").length - 1);
    expect(parse(documents).stdout).toBe(points.map((number) => `${number}\n`).join(""));
    expect(points.slice(0, 2)).toEqual([11, 1]);
    expect(parse(["<open>"]).status).not.toBe(0);
  });
});
