import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRequirements } from "../../src/corpus/requirements.ts";
import { fileReportText } from "../../src/judge_file/file_report_text.ts";
import { UnfitFile, checkFile } from "../../src/judge_file/check_file.ts";
import { brief, checkText, patternsDatabase, writeDatabase } from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();

describe("hostile JSON", () => {
  it.each([
    [
      "a million brackets",
      "[".repeat(1e6),
      "arrays and objects are nested deeper than 1000 levels, which few parsers accept",
    ],
    [
      "a million brackets that are closed",
      `${"[".repeat(1e6)}${"]".repeat(1e6)}`,
      "arrays and objects are nested deeper than 1000 levels, which few parsers accept",
    ],
    [
      "a million objects",
      '{"a":'.repeat(1e6),
      "arrays and objects are nested deeper than 1000 levels, which few parsers accept",
    ],
    ["nothing", "", "an empty file"],
    ["a string without end", `{"patterns": "${"x".repeat(5e6)}`, "the string is not closed"],
    ["a text of control characters", '{"patterns": "\u001b[31m"}', "invalid text in a string"],
  ])("%s is refused with a message", (_name, text, words) => {
    const { findings, conforms } = checkText(folder, text);
    expect([conforms, findings.length]).toEqual([false, 1]);
    expect(findings[0]?.got).toContain(words);
    expect(findings[0]?.got.includes("is not JSON")).toBe(
      words.startsWith("the string") || words.startsWith("invalid text"),
    );
    expect(findings[0]?.line).toBe(1);
  });

  it("with huge numbers, long texts and many repeated keys is judged quickly", () => {
    const integer = `1${"0".repeat(1e6)}1`;
    expect(brief(checkText(folder, `{"patterns": ${integer}}`))).toContain("error R-2.4/patterns /patterns");
    expect(checkText(folder, `{"patterns": "${'\\\\\\"'.repeat(2e6)}"}`).kind).toBe("library");
    const { findings } = checkText(folder, `{${'"patterns": 1, '.repeat(1e5)}"patterns": 1}`);
    expect(findings[0]).toMatchObject({
      at: "/patterns",
      line: 1,
      column: 17,
      got: 'the key "patterns" occurs twice in one object',
    });
    const name = "a".repeat(12_000_000);
    expect(
      brief(checkText(folder, `{"patterns": [{"id": "p", "agent_id": "a", "pattern_type": "t", "name": "${name}"}]}`)),
    ).toHaveLength(2);
  });
});

it("shortens a long pointer to its beginning and end", () => {
  const pattern = { id: "p", agent_id: "a", pattern_type: "t", name: 7 };
  const text = JSON.stringify({ patterns: [pattern], agent_contributions: { [`k${"😀".repeat(40_000)}`]: 7 } });
  const report = checkText(folder, text);
  expect(Math.max(...report.findings.map(({ at }) => at.length))).toBeGreaterThan(80_000);
  const shown = fileReportText(report, loadRequirements(), { colour: false });
  expect(shown).toMatch(/where +\/agent_contributions\/k(😀)+…(😀)+ \(80,022 characters\)/u);
  expect(Math.max(...shown.split("\n").map((line) => line.length))).toBeLessThan(400);
});

describe("a file that is not regular", () => {
  it("is refused without waiting, and a pipe next to a database is not read", () => {
    const pipe = join(folder, "pipe.json");
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, folder, join(folder, "missing.json"), join(pipe, "below")])
      expect(() => checkFile(path)).toThrow(UnfitFile);
    const path = writeDatabase(join(folder, "beside.db"), patternsDatabase);
    execFileSync("mkfifo", [`${path}-wal`]);
    mkdirSync(`${path}-journal`);
    expect(checkFile(path).conforms).toBe(true);
  });
});
