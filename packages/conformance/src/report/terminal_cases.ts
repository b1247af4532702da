import { escapeControls } from "../values/escape.ts";
import { caseEntries } from "../results/case_text.ts";
import type { CaseTextLimits } from "../results/case_text.ts";
import type { CaseRecord } from "../results/record.ts";
import type { ReportView } from "../results/report_view.ts";
import { BREACH, hasBreach, needsAttention, statusOf } from "../results/case_status.ts";

/** Colours a text with an ANSI code, or returns it unchanged. */
export type Paint = (text: string, code: number) => string;

/** ANSI colours. */
export const RED = 31;
export const GREEN = 32;
export const YELLOW = 33;

/**
 * Number of blocks from which each is shortened; a run of at most as many cases also shows failures that do not count.
 */
const SCREENFUL = 10;
const FULL: CaseTextLimits = { failures: 4, requirements: 3, value: 400 };
const BRIEF: CaseTextLimits = { failures: 2, requirements: 1, value: 240 };
/** Number of cases from which those that were not run for the same reason are summarised. */
const MIN_SUMMARISED = 3;
const NAMED = 5;

/** True if so few cases ran, for example with `--case`, that all of them can be shown in full. */
export function isShortRun({ end: { counts, case_files: total } }: ReportView): boolean {
  return total - counts["not-run"] - counts.inapplicable - counts.unsupported <= SCREENFUL;
}

/**
 * A block for each case that counts and needs attention; cases of missing capabilities are summarised. In a short run
 * also a block for each failure that does not count.
 */
export function attentionBlocks(view: ReportView, paint: Paint): string[][] {
  const attention = view.cases.filter(
    (record) => needsAttention(record, view) && statusOf(record, view) !== "unscored",
  );
  const missing = Map.groupBy(
    attention.filter(({ verdict }) => verdict === "unsupported"),
    ({ reason = "" }) => reason,
  );
  const together = [...missing].filter(([, records]) => records.length >= MIN_SUMMARISED);
  const alone = attention.filter((record) => !together.some(([, records]) => records.includes(record)));
  const uncounted = isShortRun(view) ? view.cases.filter((record) => isUncounted(record, view)) : [];
  const limits = alone.length > SCREENFUL ? BRIEF : FULL;
  return [
    ...alone.map((record) => caseBlock(record, view, paint, limits)),
    ...together.map(([reason, records]) => missingBlock(reason, records, paint)),
    ...uncounted.map((record) => caseBlock(record, view, paint, FULL)),
  ];
}

function isUncounted(record: CaseRecord, view: ReportView): boolean {
  const status = statusOf(record, view);
  return status === "unscored" || (status === "observed" && record.as_ruled === false);
}

function missingBlock(reason: string, records: readonly CaseRecord[], paint: Paint): string[] {
  const rest = records.length - NAMED;
  const names = records.slice(0, NAMED).map(({ id }) => id);
  return [
    `${paint("UNSUPPORTED", RED)} ${records.length} cases: ${escapeControls(reason)}`,
    `  ${escapeControls(names.join(", "))}${rest > 0 ? ` and ${rest} more` : ""}`,
  ];
}

function caseBlock(record: CaseRecord, view: ReportView, paint: Paint, limits: CaseTextLimits): string[] {
  const status = statusOf(record, view);
  const notes = `${hasBreach(record) ? ` ${paint(BREACH.toUpperCase(), RED)}` : ""}${record.scored ? "" : " (not scored)"}`;
  const lines = [
    `${paint(wordFor(record, status === "observed"), status === "unexpected" ? RED : YELLOW)} ${escapeControls(record.id)}${notes}: ${escapeControls(record.title)}`,
  ];
  let before = "";
  for (const [label, text] of caseEntries(record, view, limits)) {
    lines.push(`  ${(label === "stderr" && before === "stderr" ? "" : label).padEnd(12)}  ${text}`);
    before = label;
  }
  return lines;
}

function wordFor({ verdict }: CaseRecord, plainlyObserved: boolean): string {
  if (plainlyObserved) return "DIFFERS FROM OUR RULING";
  return verdict === "pass" || verdict === "observed" ? `UNEXPECTED ${verdict.toUpperCase()}` : verdict.toUpperCase();
}
