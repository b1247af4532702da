import { escapeControls } from "../values/escape.ts";
import { expectationText } from "./case_text.ts";
import { verdictLine } from "./conclusion.ts";
import { VERDICTS } from "./record.ts";
import type { CaseRecord, ReportRecord } from "./record.ts";
import { repeatCommand, subjectOf, viewOf } from "./report_view.ts";
import type { ReportView } from "./report_view.ts";
import { standingOf, strayDeviations } from "./standing.ts";
import { stderrLines } from "./stderr_text.ts";

/**
 * TAP version 14: a test point for each case. `not ok` without a directive marks exactly the unexpected cases; expected
 * failures and unscored failures are `# TODO`, cases without a result `# SKIP`.
 * @throws {Error} when the first or last record is missing.
 */
export function tapReport(records: readonly ReportRecord[]): string {
  const view = viewOf(records);
  const stray = strayDeviations(view);
  const lines = [
    "TAP version 14",
    `1..${view.cases.length + stray.length}`,
    `# ${escapeControls(`${subjectOf(view.run)}, specification ${view.run.spec_version ?? "(unknown)"}`)}`,
  ];
  for (const [index, record] of view.cases.entries()) lines.push(...testPoint(index + 1, record, view));
  for (const [index, { id, what }] of stray.entries())
    lines.push(`not ok ${view.cases.length + index + 1} - ${description(id)}`, ...block([`message: ${quote(what)}`]));
  for (const note of view.end.notes) lines.push(`# note: ${escapeControls(note)}`);
  const counts = VERDICTS.filter((verdict) => view.end.counts[verdict] > 0);
  lines.push(`# ${counts.map((verdict) => `${view.end.counts[verdict]} ${verdict}`).join(", ")}`);
  lines.push(`# ${escapeControls(verdictLine(view))}`);
  return `${lines.join("\n")}\n`;
}

function testPoint(number: number, record: CaseRecord, view: ReportView): string[] {
  const name = `${number} - ${description(`${record.id}: ${record.title}`)}`;
  switch (standingOf(record, view)) {
    case "passed":
      return [`ok ${name}`];
    case "observed":
      return [`ok ${name}`, ...block([`verdict: observed`, ...answers(record)])];
    case "skipped":
      return [`ok ${name} # SKIP ${description(`${record.verdict}: ${record.reason ?? "no result"}`)}`];
    case "expected":
      return [
        `not ok ${name} # TODO expected failure: ${description(expectationText(record))}`,
        ...diagnosis(record, view),
      ];
    case "unscored":
      return [`not ok ${name} # TODO not scored`, ...diagnosis(record, view)];
    case "unexpected":
      return [`not ok ${name}`, ...diagnosis(record, view)];
  }
}

function diagnosis(record: CaseRecord, view: ReportView): string[] {
  const lines = [`verdict: ${record.verdict}`, `level: ${record.level}`];
  lines.push(...list("unexpected", (view.unexpected.get(record.id) ?? []).map(quote)));
  if (record.reason !== undefined) lines.push(`reason: ${quote(record.reason)}`);
  lines.push(
    ...list(
      "requirements",
      record.requirements.map((id) => quote(requirement(id, view))),
    ),
  );
  lines.push(
    ...list(
      "failures",
      record.failures.map(({ step, where, check, at, wanted, got }) =>
        [
          `step: ${step}`,
          `where: ${quote(where)}`,
          ...(check === undefined ? [] : [`check: ${quote(check)}`]),
          `at: ${quote(at)}`,
          `wanted: ${quote(wanted)}`,
          `got: ${quote(got)}`,
        ].join("\n    "),
      ),
    ),
    ...list("stderr", stderrLines(record.diagnostics, 20).map(quote)),
  );
  return block([...lines, `again: ${quote(repeatCommand(view.run, { case: record.id }))}`]);
}

function requirement(id: string, view: ReportView): string {
  const row = view.requirements.get(id);
  return row ? `${id}, section ${row.section}, ${row.level}: ${row.statement}` : id;
}

function answers(record: CaseRecord): string[] {
  const given = Object.entries(record.answers ?? {}).map(([id, answer]) => `${quote(id)}: ${quote(answer)}`);
  if (given.length > 0) return ["answers:", ...given.map((line) => `  ${line}`)];
  return record.as_ruled === undefined ? [] : [`as_ruled: ${record.as_ruled}`];
}

function list(name: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${name}:`, ...items.map((item) => `  - ${item}`)];
}

/** The YAML block of a test point, indented by two. */
function block(lines: readonly string[]): string[] {
  return ["---", ...lines.flatMap((line) => line.split("\n")), "..."].map((line) => `  ${line}`);
}

/** A YAML double-quoted scalar; every JSON string is one. */
function quote(text: string): string {
  return JSON.stringify(escapeControls(text));
}

/** Escapes text on the line of a test point, where `#` begins a directive and a backslash escapes. */
function description(text: string): string {
  return escapeControls(text).replace(/[\\#]/g, "\\$&");
}
