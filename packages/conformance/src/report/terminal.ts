import { escapeControls } from "../values/escape.ts";
import { expectationText } from "./case_text.ts";
import { concludeReport, count, verdictLine } from "./conclusion.ts";
import type { Outcome } from "./conclusion.ts";
import { VERDICTS } from "./record.ts";
import type { ReportRecord, RunRecord } from "./record.ts";
import { subjectOf, viewOf } from "./report_view.ts";
import type { ReportView } from "./report_view.ts";
import { standingOf, strayDeviations } from "./standing.ts";
import { attentionBlocks, GREEN, RED, YELLOW } from "./terminal_cases.ts";
import type { Paint } from "./terminal_cases.ts";
import { whereToBegin } from "./terminal_overview.ts";
import { observedDifferently, uncountedFailures } from "./terminal_uncounted.ts";

/** How the text is drawn. */
export interface TerminalStyle {
  /** ANSI colours. */
  colour: boolean;
}

const COLOURS: Record<Outcome, number> = {
  conformant: GREEN,
  "conformant-but": YELLOW,
  "as-expected": YELLOW,
  incomplete: YELLOW,
  "not-conformant": RED,
  "no-judgement": YELLOW,
};

/**
 * The report for a reader at a terminal: a pure function of the records.
 * @throws {Error} when the first or the last record is missing.
 * @example
 * ```ts
 * import { implementationAdapter, runSuite, terminalReport } from "@perdura/conformance";
 *
 * const { records } = await runSuite({ adapter: implementationAdapter("perdura-15"), cases: ["state/delete"] });
 * console.log(terminalReport(records, { colour: false }).split("\n")[0]?.slice(0, 25)); // perdura-conformance 0.1.0
 * ```
 */
export function terminalReport(records: readonly ReportRecord[], style: TerminalStyle): string {
  const view = viewOf(records);
  const paint: Paint = (text, code) => (style.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const blocks = [
    [headline(view.run)],
    ...attentionBlocks(view, paint),
    expectedFailures(view),
    uncountedFailures(view),
    observedDifferently(view),
    whereToBegin(view),
    strayDeviations(view)
      .filter(({ id }) => id !== "run")
      .map(({ id, what }) => `${paint("UNEXPECTED", RED)} ${escapeControls(`${id}: ${what}`)}`),
    closing(view, paint),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function headline(run: RunRecord): string {
  const details = run.implementation ? ` (${run.implementation.language}, ${run.transport})` : "";
  const profile = run.profile === null ? "" : `, profile ${run.profile}`;
  const seed = run.seed === null ? "" : `, seed ${run.seed}`;
  return escapeControls(
    `perdura-conformance ${run.suite}: ${subjectOf(run)}${details}, judged by specification ${run.spec_version ?? "(unknown)"}${profile}${seed}`,
  );
}

function expectedFailures(view: ReportView): string[] {
  return view.cases
    .filter((record) => standingOf(record, view) === "expected")
    .map((record) => `expected  ${escapeControls(`${record.id}: ${expectationText(record)}`)}`);
}

function closing(view: ReportView, paint: Paint): string[] {
  const { end, timing } = view;
  const counts = VERDICTS.filter((verdict) => end.counts[verdict] > 0).map(
    (verdict) => `${end.counts[verdict]} ${verdict}`,
  );
  const { outcome, expected } = concludeReport(view);
  const asExpected = expected === 0 ? "" : `; ${expected} as expected`;
  const duration = timing ? ` (${(timing.duration_ms / 1000).toFixed(1)} s)` : "";
  return [
    ...end.notes.map((note) => `note: ${escapeControls(note)}`),
    `${[count(end.case_files, "case"), ...(counts.length > 0 ? [counts.join(", ")] : [])].join(": ")}${asExpected}${duration}`,
    paint(escapeControls(verdictLine(view)), COLOURS[outcome]),
  ];
}
