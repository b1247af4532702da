import { areaOf } from "../corpus/case.ts";
import { markupText } from "../values/escape.ts";
import { caseEntries, expectationText, placeOf, reasonOf } from "../results/case_text.ts";
import { answersSeen } from "../results/open_questions.ts";
import type { CaseRecord, ReportRecord } from "../results/record.ts";
import { subjectOf, viewOf } from "../results/report_view.ts";
import type { ReportView } from "../results/report_view.ts";
import { FAILED_VERDICTS, isBreach, statusOf, strayDeviations } from "../results/case_status.ts";
import { stderrLines } from "../results/stderr_text.ts";

/** One `<testcase>` with its outcome. */
interface TestCase {
  suite: string;
  outcome: "passed" | "failure" | "error" | "skipped";
  seconds: number;
  xml: string;
}

/**
 * JUnit XML for CI systems: a suite for each area, a testcase for each case. A `failure` or `error` marks exactly the
 * unexpected cases; expected failures and cases without a result are `skipped`, with the reason. Deviations that belong
 * to no case form a separate suite, so that the file is green only with exit code 0.
 * @throws {Error} when the first or last record is missing.
 */
export function junitReport(records: readonly ReportRecord[]): string {
  const view = viewOf(records);
  const tests = view.cases.map((record) => testCase(record, view));
  for (const { id, what } of strayDeviations(view)) {
    const xml = element("error", { type: "deviation", message: what });
    tests.push({
      suite: "perdura-conformance",
      outcome: "error",
      seconds: 0,
      xml: wrap("perdura-conformance", id, 0, xml),
    });
  }
  const suites = [...new Set(tests.map(({ suite }) => suite))].map((name) => {
    const own = tests.filter(({ suite }) => suite === name);
    return `  <testsuite ${attributes({ name, ...totals(own) })}>\n${own.map(({ xml }) => xml).join("")}  </testsuite>\n`;
  });
  const name = `${subjectOf(view.run)}, specification ${view.run.spec_version ?? "(unknown)"}`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${attributes({ name, ...totals(tests) })}>\n${suites.join("")}</testsuites>\n`;
}

function totals(tests: readonly TestCase[]): Record<string, string> {
  const number = (outcome: TestCase["outcome"]): string =>
    String(tests.filter((test) => test.outcome === outcome).length);
  return {
    tests: String(tests.length),
    failures: number("failure"),
    errors: number("error"),
    skipped: number("skipped"),
    time: tests.reduce((sum, test) => sum + test.seconds, 0).toFixed(3),
  };
}

function testCase(record: CaseRecord, view: ReportView): TestCase {
  const suite = areaOf(record.id) || record.id;
  const seconds = (view.timing?.cases[record.id] ?? 0) / 1000;
  const { outcome, body } = judge(record, view);
  return { suite, outcome, seconds, xml: wrap(suite, record.id.slice(suite.length + 1) || record.id, seconds, body) };
}

interface Judged {
  outcome: TestCase["outcome"];
  body: string;
}

function judge(record: CaseRecord, view: ReportView): Judged {
  const status = statusOf(record, view);
  const skip = (message: string, more = ""): Judged => ({
    outcome: "skipped",
    body: element("skipped", { message }) + more,
  });
  if (status === "passed") return { outcome: "passed", body: "" };
  if (status === "observed") return { outcome: "passed", body: element("system-out", {}, [observation(record, view)]) };
  if (status === "skipped") return skip(`${record.verdict}: ${reasonOf(record) ?? record.title}`);
  const details = caseEntries(record, view, { failures: 50, requirements: 10, value: 10_000 }).map(
    ([label, text]) => `${label}: ${text}`,
  );
  const output = element("system-out", {}, details);
  if (status === "expected") return skip(`expected failure: ${expectationText(record)}`, output);
  if (status === "unscored") return skip(`not scored: ${record.verdict}`, output);
  const outcome = record.verdict !== "fail" && FAILED_VERDICTS.has(record.verdict) ? "error" : "failure";
  const stderr = stderrLines(record.diagnostics, 100);
  const body = element(outcome, { type: record.verdict, message: messageOf(record, view) }, details);
  return { outcome, body: body + (stderr.length === 0 ? "" : element("system-err", {}, stderr)) };
}

function messageOf(record: CaseRecord, view: ReportView): string {
  const first = record.failures.find(isBreach) ?? record.failures[0];
  if (first) return `${record.title} [${placeOf(first)}: expected ${first.wanted}, got ${first.got}]`;
  return `${record.title} [${reasonOf(record) ?? (view.unexpected.get(record.id) ?? [record.verdict]).join("; ")}]`;
}

function observation(record: CaseRecord, view: ReportView): string {
  const answers = answersSeen(record, view).map(({ row, words }) => `${row.id}: ${words}`);
  return `observed, not scored: ${answers.join("; ")}`;
}

function wrap(classname: string, name: string, seconds: number, body: string): string {
  const opening = `    <testcase ${attributes({ classname, name, time: seconds.toFixed(3) })}`;
  return body === "" ? `${opening}/>\n` : `${opening}>\n${body}    </testcase>\n`;
}

function element(name: string, values: Record<string, string>, lines: readonly string[] = []): string {
  const head = Object.keys(values).length === 0 ? name : `${name} ${attributes(values)}`;
  return lines.length === 0 ? `      <${head}/>\n` : `      <${head}>${lines.map(markupText).join("\n")}</${name}>\n`;
}

function attributes(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${markupText(value)}"`)
    .join(" ");
}
