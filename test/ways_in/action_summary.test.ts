import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ORACLE } from "./action_steps.ts";

interface JobModule {
  writeJobSummary: (wanted: boolean, content: object) => void;
}
const { writeJobSummary } = (await import(pathToFileURL(join(ORACLE, "job.mjs")).href)) as JobModule;

const SUMMARY = {
  suite: "1.2.3",
  implementation: "mine 1.0.0",
  spec_version: "16.0.0",
  profile: null,
  conformant: false,
  counts: { pass: 7 },
  levels: { must: { passed: 3, applicable: 4 } },
  attention: [{ id: "state/delete", verdict: "crash" }],
  expected_failures: [],
  unexpected: [
    { id: "state/delete", what: "crash, not expected" },
    { id: "state/list-users", what: "pass, where fail was expected" },
  ],
  notes: ["a note with a <b>tag</b>"],
};

/** Step summary of a GitHub job. */
function summaryOf(matrix: string): string {
  const file = (process.env["GITHUB_STEP_SUMMARY"] = join(freshFolder(), "summary"));
  onTestFinished(() => {
    delete process.env["GITHUB_STEP_SUMMARY"];
  });
  writeJobSummary(true, { summary: SUMMARY, judged: true, matrix: () => matrix });
  return readFileSync(file, "utf8");
}

test("the summary lists each deviation once, and escapes markup in notes", () => {
  const text = summaryOf("| a matrix |\n");
  expect(text).toContain("## Not conformant: mine 1.0.0, specification 16.0.0\n");
  expect(text.match(/state\/delete/g)).toHaveLength(1);
  expect(text).toContain("- `state/delete`: crash\n- `state/list-users`: pass, where fail was expected\n");
  expect(text).toContain("- a note with a &#60;b&#62;tag&#60;/b&#62;");
  expect(text).toContain("\n| a matrix |\n");
});

test("a report that is too long for the page is omitted, and the verdict is kept", () => {
  const text = summaryOf("x".repeat(1024 * 1024));
  expect(text.length).toBeLessThan(2000);
  expect(text).toContain("## Not conformant");
  expect(text).toContain(
    "The Markdown report is too long for this page; perdura-conformance report makes it from report.ndjson.",
  );
});
