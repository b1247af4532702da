import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readExpectedFailures, type ExpectedFailure } from "../../src/runner/expected_failures.ts";
import { fakeAdapter, runnerCorpus } from "../fake_adapter.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const entry = (id: string, more: Partial<ExpectedFailure> = {}): ExpectedFailure => ({
  case: `runner/${id}`,
  kind: "bug",
  link: "https://example.org/issues/1",
  ...more,
});

/** Two cases: `round-trip` passes, `extra-key` fails at step 2. */
const judge = (expectedFailures: ExpectedFailure[], fault = "none") =>
  runWithLongTimeout({
    adapter: fakeAdapter(fault),
    corpus: runnerCorpus("valid-fail", ["extra-key", "wrong-error"]),
    expectedFailures,
    today: "2026-01-15",
  });

describe("an expected-failure list", () => {
  it("makes exactly the listed failures expected, and conformance stays what it is", async () => {
    const { summary, cases } = await judge([entry("extra-key"), entry("wrong-error")]);
    expect(summary).toMatchObject({ exit_code: 0, conformant: false, unexpected: [] });
    expect(cases.map((record) => record.expected?.met)).toEqual([true, true]);
  });

  it("leaves other failures unexpected", async () => {
    const { summary } = await judge([entry("extra-key")]);
    expect(summary).toMatchObject({ exit_code: 4, unexpected: [{ id: "runner/wrong-error" }] });
  });

  it.each([
    ["a different verdict", [entry("extra-key", { verdict: "crash" })], "fail, but crash was expected"],
    ["other checks", [entry("extra-key", { checks: ["step 9"] })], "the failed checks differ"],
    ["an expired entry", [entry("extra-key", { expires: "2026-01-14" })], "expired on 2026-01-14"],
    ["a case that is gone", [entry("extra-key"), entry("no-such")], "no such case"],
    ["a check that is gone", [entry("extra-key", { checks: ["no-such"] })], "no check no-such"],
  ])("finds %s", async (_name, entries, words) => {
    const { summary } = await judge([...entries, entry("wrong-error")]);
    expect(summary.exit_code).toBe(4);
    expect(summary.unexpected.map(({ what }) => what).join()).toContain(words);
  });

  it("accepts an entry on its last day, with the checks that failed", async () => {
    const { summary } = await judge([
      entry("extra-key", { expires: "2026-01-15", checks: ["step 2"] }),
      entry("wrong-error"),
    ]);
    expect(summary).toMatchObject({ exit_code: 0 });
  });

  it("finds an expected failure that passed", async () => {
    const { summary } = await runWithLongTimeout({
      adapter: fakeAdapter(),
      corpus: runnerCorpus("valid-pass", ["round-trip", "other-version"]),
      expectedFailures: [entry("round-trip"), entry("other-version")],
    });
    expect(summary.unexpected.map(({ what }) => what)).toEqual([
      expect.stringContaining("does not apply to this version"),
      expect.stringContaining("pass, although fail was expected"),
    ]);
  });

  it("applies an entry only to its versions", async () => {
    const list = [entry("extra-key", { versions: "<16.0.0-0" }), entry("wrong-error")];
    expect((await judge(list)).summary.unexpected).toMatchObject([{ id: "runner/extra-key" }]);
  });
});

describe("the file of a list", () => {
  const folder = freshFolder();
  const file = join(folder, "list.json");
  const read = (content: unknown) => {
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return readExpectedFailures(file);
  };

  it("is read", () => {
    expect(read({ expected_failures: [entry("a")] })).toEqual([entry("a")]);
  });

  it.each([
    ["[", "is not JSON"],
    [{}, "expected_failures"],
    [{ expected_failures: [{ case: "a/b" }] }, "kind"],
    [{ expected_failures: [entry("a", { kind: "whatever" as never })] }, "kind"],
    [{ expected_failures: [entry("a", { link: "javascript:alert(1)" })] }, "link"],
    [{ expected_failures: [entry("a"), entry("a")] }, "twice"],
    [{ expected_failures: [entry("a", { expires: "2026-02-31x" })] }, "expires"],
    [{ expected_failures: [entry("a", { expires: "2026-13-01" })] }, "is not a valid date"],
  ])("%j is refused with its name", (content, words) => {
    expect(() => read(content)).toThrow(words);
    expect(() => read(content)).toThrow(file);
  });

  it("with what would steer a terminal is refused in words that do not", () => {
    for (const content of ['{"a": \u001b[31m', `{"${"\u009b".repeat(9)}": 1, "expected_failures": []}`])
      expect(() => read(content)).toThrow(/^[^\u0000-\u001f\u007f-\u009f]+$/);
  });

  it("with a key of any length is refused in a sentence that can be read", () => {
    expect(() => read({ expected_failures: [], ["k".repeat(70_000)]: 1 })).toThrow(/^.{1,600}$/);
  });

  it("that is missing is named", () => {
    expect(() => readExpectedFailures(join(folder, "none.json"))).toThrow(/none\.json cannot be read/);
  });
});
