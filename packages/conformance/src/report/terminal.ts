import { escapeControls } from "../values/escape.ts";
import { excerpts, expectationText, placeOf, reasonOf } from "../results/case_text.ts";
import {
  causesTitle,
  commonFailures,
  firstAdapterFailure,
  likelyRequirement,
  type CommonFailure,
} from "../results/common_failures.ts";
import { concludeReport, count, verdictLine, type Outcome } from "../results/conclusion.ts";
import { openQuestions } from "../results/open_questions.ts";
import { VERDICTS, type CaseRecord, type ReportRecord, type RunRecord } from "../results/record.ts";
import { repeatCommand, subjectOf, viewOf, type ReportView } from "../results/report_view.ts";
import { sectionName, troubledSections, type TroubledSection } from "../results/sections.ts";
import { hasFailed, MIN_FAILURES, statusOf, strayDeviations } from "../results/case_status.ts";
import { errorLine } from "../results/stderr_text.ts";
import { attentionBlocks, GREEN, isShortRun, RED, YELLOW, type Paint } from "./terminal_cases.ts";

/** Style of the text. */
export interface TerminalStyle {
  /** True for ANSI colours. */
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
 * The report as text for a terminal: a pure function of the records.
 * @throws {Error} when the first or last record is missing.
 * @example
 * ```ts
 * import { implementationAdapter, runSuite, terminalReport } from "@perdura/conformance";
 *
 * const { records } = await runSuite({ adapter: implementationAdapter("perdura-15"), cases: ["state/delete"] });
 * console.log(terminalReport(records, { colour: false }).split("\n")[0]?.slice(0, 19)); // perdura-conformance
 * ```
 */
export function terminalReport(records: readonly ReportRecord[], style: TerminalStyle): string {
  const view = viewOf(records);
  const paint: Paint = (text, code) => (style.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const blocks = [
    [headline(view.run)],
    causes(view),
    ...attentionBlocks(view, paint),
    expectedFailures(view),
    uncountedFailures(view),
    withoutResult(view),
    observedDifferently(view),
    undeclared(view),
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
    .filter((record) => statusOf(record, view) === "expected")
    .map((record) => `expected failure  ${escapeControls(`${record.id}: ${expectationText(record)}`)}`);
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

const NAMED = 3;

/**
 * For a run with many failures: their sections, most cases first, the common complaints, and the requirement to begin
 * with. Empty for few failures.
 */
function whereToBegin(view: ReportView): string[] {
  const cases = view.cases.filter((record) => hasFailed(record, view));
  const troubled = troubledSections(view);
  if (cases.length < MIN_FAILURES || troubled.length === 0) return [];
  const widest = Math.max(...troubled.map(({ section }) => title(section).length));
  const broadest = Math.max(...troubled.map(({ cases: number }) => count(number, "case").length));
  const lines = troubled.map(
    ({ section, cases: number, requirements }) =>
      `  ${title(section).padEnd(widest)}  ${count(number, "case").padStart(broadest)}  ${named(requirements)}`,
  );
  return [
    `Failed by requirement (${count(cases.length, "case")})`,
    ...lines,
    ...begin(view, commonFailures(view), cases.length),
  ];
}

function title(section: TroubledSection["section"]): string {
  return escapeControls(sectionName(section));
}

function named(requirements: TroubledSection["requirements"]): string {
  const first = requirements.slice(0, NAMED).map(({ row, cases }) => `${row.id} (${cases})`);
  const rest = requirements.length - first.length;
  return escapeControls([...first, ...(rest > 0 ? [`${rest} more`] : [])].join(", "));
}

/** Failures that several cases share, before the cases: one change may repair all of them. */
function causes(view: ReportView): string[] {
  const shared = commonFailures(view);
  const lines = shared.map(({ text, example, place }) =>
    escapeControls(`${text} (see ${example}${place === undefined ? "" : `, ${place}`})`),
  );
  if (lines.length === 1) return [`1 cause, ${lines[0]}`];
  return lines.length === 0 ? [] : [causesTitle(shared), ...lines.map((line) => `  ${line}`)];
}

function begin(view: ReportView, complaints: readonly CommonFailure[], failed: number): string[] {
  const breakdown = firstAdapterFailure(complaints, failed);
  if (breakdown)
    return [
      "Start with the first cause: the adapter itself fails",
      `  ${escapeControls(repeatCommand(view.run, { id: breakdown.example }))}`,
    ];
  const likely = likelyRequirement(view);
  if (!likely) return [];
  return [
    `Start with ${escapeControls(`${likely.row.id}: ${likely.row.statement}`)}`,
    `  ${escapeControls(repeatCommand(view.run, { requirement: likely.row.id }))}`,
  ];
}

const VALUE = 100;

/** Failures that do not count, one per line, under a heading. Empty in a short run, which has blocks for them. */
function uncountedFailures(view: ReportView): string[] {
  const failed = view.cases.filter((record) => statusOf(record, view) === "unscored");
  if (failed.length === 0 || isShortRun(view)) return [];
  return [
    `${count(failed.length, "failure is", "failures are")} not scored`,
    ...failed.map((record) =>
      escapeControls(`  ${record.verdict}  ${record.id}: ${record.title} (${inShort(record)})`),
    ),
  ];
}

function inShort(record: CaseRecord): string {
  const {
    failures: [first],
    verdict,
    diagnostics,
  } = record;
  if (first) {
    const [wanted, got] = excerpts(first, VALUE);
    return `expected ${wanted}, got ${got}`;
  }
  const said = verdict === "crash" ? errorLine(diagnostics) : undefined;
  return `${reasonOf(record) ?? verdict}${said === undefined ? "" : `; stderr: ${said}`}`;
}

/** Scored cases, none of them a must, that the adapter cannot run, a line for each reason. */
function withoutResult(view: ReportView): string[] {
  const missing = view.cases.filter(
    (record) => record.scored && record.verdict === "unsupported" && statusOf(record, view) === "skipped",
  );
  const reasons = Map.groupBy(missing, ({ reason = "unsupported" }) => reason);
  if (missing.length === 0) return [];
  return [
    `${count(missing.length, "scored case")}, none of them a must, ${missing.length === 1 ? "has" : "have"} no result`,
    ...[...reasons].map(([reason, records]) =>
      escapeControls(`  ${reason}: ${namedCases(records.map(({ id }) => id))}`),
    ),
  ];
}

/**
 * Observed answers to open questions that differ from our rulings, with the declared ones. Empty in a short run, which
 * has blocks for them.
 */
function observedDifferently(view: ReportView): string[] {
  if (isShortRun(view)) return [];
  const unscored = new Set(view.cases.filter((record) => !record.scored).map(({ id }) => id));
  return openQuestions(view).flatMap(({ row, seen, declared }) =>
    seen.flatMap(({ words, asRuled, cases }) => {
      const own = asRuled ? [] : cases.filter((id) => unscored.has(id));
      if (own.length === 0) return [];
      const said = declared === undefined ? "" : `; declared: ${declared}`;
      return [
        `other answer  ${escapeControls(`${row.id}: ${words} (${namedCases(own)})${said}`)}`,
        ...differenceLines(view.cases.find(({ id }) => id === own[0])),
      ];
    }),
  );
}

/** The answers that are as ruled in every case that saw one, in the form of `choices`; a declared answer is judged. */
function undeclared(view: ReportView): string[] {
  if (isShortRun(view)) return [];
  const ids = openQuestions(view)
    .filter(({ declared, seen }) => declared === undefined && seen.length > 0 && seen.every(({ asRuled }) => asRuled))
    .map(({ row }) => `${JSON.stringify(row.id)}: "ruled"`);
  return ids.length === 0 ? [] : [`answers as ruled, not declared: ${escapeControls(ids.join(", "))}`];
}

/** The first difference of a case. */
function differenceLines(record: CaseRecord | undefined): string[] {
  const first = record?.failures[0];
  if (first === undefined) return [];
  const [wanted, got] = excerpts(first, VALUE);
  return [`  ${escapeControls(`${placeOf(first)}: our ruling ${wanted}, got ${got}`)}`];
}

function namedCases(ids: readonly string[]): string {
  const rest = ids.length - NAMED;
  return `${ids.slice(0, NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
