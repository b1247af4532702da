import { describe, expect, it } from "vitest";
import { runSuite } from "../src/runner/run_suite.ts";
import { fakeAdapter, runnerCorpus } from "./fake_adapter.ts";

const judge = (fault: string, cases: string[] = ["expected-errors", "round-trip"]) =>
  runSuite({
    adapter: fakeAdapter(fault),
    corpus: runnerCorpus("valid-pass", cases),
    timeoutMs: fault === "hang" ? 400 : 10_000,
  });

describe("an adapter that", () => {
  it.each([
    ["exits at once", "crash"],
    ["dies in hello", "dies in hello"],
    ["wrong protocol", "protocol-error"],
    ["unknown capability", "protocol-error"],
  ])("does not come up (%s) leaves every case not-run", async (fault, note) => {
    const { summary } = await judge(fault);
    expect(summary).toMatchObject({ exit_code: 3, conformant: false, counts: { "not-run": 2 } });
    expect(summary.notes.join()).toContain(note);
  });

  it.each([
    ["wrong seq", "protocol-error", "answered seq 999"],
    ["two replies", "protocol-error", "more than one line"],
    ["not JSON", "protocol-error", "not JSON"],
    ["noise on stdout", "protocol-error", "more than one line"],
    ["not UTF-8", "protocol-error", "not UTF-8"],
    ["long line", "protocol-error", "more than 16777216 bytes"],
    ["no final newline", "crash", "in the middle of a line"],
    ["crash in a call", "crash", "exit code 1"],
    ["hang", "timeout", "no answer within 400 ms"],
  ])("breaks down (%s) gets %s, also where an error was expected", async (fault, verdict, reason) => {
    const { cases, summary } = await judge(fault);
    expect(cases.map((record) => record.verdict)).toEqual([verdict, verdict]);
    expect(cases[0]?.reason).toContain(reason);
    expect(summary.exit_code).toBe(1);
  });

  it("crashes shows its stderr and is started again, and other results stay", async () => {
    const { cases, summary } = await judge("crash in a call", [
      "expected-errors",
      "needs-sqlite",
      "observed",
      "other-version",
    ]);
    expect(cases[0]?.diagnostics).toContain("crash in a call");
    expect(summary.counts).toMatchObject({ crash: 2, unsupported: 1, inapplicable: 1 });
  });

  it("splits a line in two writes is fine", async () => {
    expect((await judge("split line")).summary).toMatchObject({ exit_code: 0, counts: { pass: 2 } });
  });

  it("ignores the end of its input is ended by force", async () => {
    expect((await judge("ignores the end")).summary.counts.pass).toBe(2);
  });

  it("declares a group and answers unsupported fails", async () => {
    const { cases } = await judge("unsupported", ["round-trip"]);
    expect(cases).toMatchObject([
      { verdict: "fail", failures: [{ got: expect.stringContaining("unsupported: not today") }] },
    ]);
  });

  it("writes outside the case's directory fails", async () => {
    const { cases } = await judge("writes outside");
    expect(cases.map((record) => record.verdict)).toEqual(["pass", "fail"]);
    expect(cases[1]?.failures).toMatchObject([{ check: "sandbox", got: '"stray.txt"' }]);
  });
});
