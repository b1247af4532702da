import { escapeControls } from "../values/escape.ts";
import type { Step } from "../corpus/case.ts";
import { stepLines } from "../corpus/step_text.ts";
import { faultText } from "../protocol/channel.ts";
import { answersSeen } from "./open_questions.ts";
import type { CaseRecord, Failure } from "./record.ts";
import { repeatCommand } from "./report_view.ts";
import type { ReportView } from "./report_view.ts";
import { BREACH, isBreach } from "./case_status.ts";
import { stderrLines } from "./stderr_text.ts";

/** Limits of the text about a case. */
export interface CaseTextLimits {
  /** Number of differences that are shown; the others are counted. */
  failures: number;
  /** Number of requirements that are shown with their statement; the others are only named. */
  requirements: number;
  /** Characters of a value; a longer value is cut to the part that differs. */
  value: number;
}

/** Labels and texts that explain why a case needs attention. The texts are safe for a terminal. */
type Entry = readonly [label: string, text: string];

/** Place of a difference: `step 2, call get, check c, at /a`. */
export function placeOf(failure: Failure): string {
  const parts = [`step ${failure.step}`, failure.where];
  if (failure.check !== undefined) parts.push(`check ${failure.check}`);
  if (failure.at !== "") parts.push(`at ${failure.at}`);
  return parts.join(", ");
}

/** The reason for a missing result, with the place at which the adapter failed. */
export function reasonOf({ place, reason }: CaseRecord): string | undefined {
  return reason === undefined ? undefined : faultText(place, reason);
}

/** Entries of the text reports about one case: requirements, differences, stderr, and the command that repeats it. */
export function caseEntries(record: CaseRecord, view: ReportView, limits: CaseTextLimits): Entry[] {
  const entries: Entry[] = requirementEntries(record, view, limits.requirements);
  for (const what of view.unexpected.get(record.id) ?? []) {
    if (record.expected || record.verdict === "pass") entries.push(["unexpected", what]);
  }
  if (record.expected) entries.push(["listed as", expectationText(record)]);
  const reason = reasonOf(record);
  if (reason !== undefined) entries.push(["reason", reason]);
  entries.push(...breachEntries(record), ...answerEntries(record, view), ...differenceEntries(record, limits));
  entries.push(...sequenceEntries(record));
  for (const line of stderrLines(record.diagnostics)) entries.push(["stderr", line]);
  entries.push(["repeat with", repeatCommand(view.run, record)]);
  return entries.map(([label, text]) => [label, escapeControls(text)]);
}

/** A breach of the sandbox comes first and is never cut off, because it outweighs any difference. */
function breachEntries({ failures }: CaseRecord): Entry[] {
  return failures.filter(isBreach).map(({ got }) => ["outside", `${BREACH}: ${got}`]);
}

/** Answers that differ from our ruling on an open question, and the declared ones. */
function answerEntries(record: CaseRecord, view: ReportView): Entry[] {
  return answersSeen(record, view)
    .filter(({ asRuled }) => !asRuled)
    .flatMap(({ row, words, declared }): Entry[] => [
      ["observed", `${row.id}: ${words}`],
      ...(declared === undefined ? [] : [["declared", `${row.id}: ${declared}`] as const]),
    ]);
}

function differenceEntries({ failures, verdict }: CaseRecord, limits: CaseTextLimits): Entry[] {
  const differences = failures.filter((failure) => !isBreach(failure));
  const rest = differences.length - limits.failures;
  return [
    ...differences.slice(0, limits.failures).flatMap((failure): Entry[] => {
      const [wanted, got] = excerpts(failure, limits.value);
      return [
        ["where", placeOf(failure)],
        ...(failure.given ?? []).map((line): Entry => ["given", excerpt(line, 0, limits.value)]),
        [verdict === "observed" ? "our ruling" : "expected", wanted],
        ["got", got],
      ];
    }),
    ...(rest > 0 ? [["and", `${rest} more difference${rest === 1 ? "" : "s"}`] as const] : []),
  ];
}

/** Number of steps of a generated sequence that are shown; a shortened one has few. */
const STEPS = 12;

/** The failed sequence of a generated case. */
function sequenceEntries({ generated }: CaseRecord): Entry[] {
  if (generated === undefined) return [];
  const { seed, sequence, steps } = generated;
  const rest = steps.length - STEPS;
  return [
    ["sequence", `number ${sequence} of seed ${seed}, shortened to ${steps.length} steps:`],
    ...steps.slice(0, STEPS).map((step, index): Entry => ["", `${index + 1}  ${stepLines(step as Step)[0]}`]),
    ...(rest > 0 ? [["", `and ${rest} more`] as const] : []),
  ];
}

function requirementEntries({ requirements }: CaseRecord, view: ReportView, limit: number): Entry[] {
  const entries: Entry[] = requirements.slice(0, limit).map((id) => {
    const row = view.requirements.get(id);
    return ["requirement", row ? `${id}, section ${row.section}, ${row.level}: ${row.statement}` : id];
  });
  const rest = requirements.slice(limit);
  return rest.length === 0 ? entries : [...entries, ["and", rest.join(", ")]];
}

/** The entry of the expected-failure list for a case, in words. */
export function expectationText({ expected }: CaseRecord): string {
  if (!expected) return "";
  const parts = [`${expected.verdict} (${expected.kind})`];
  if (expected.checks) parts.push(`checks ${expected.checks.join(" ")}`);
  if (expected.link !== undefined) parts.push(expected.link);
  if (expected.expires !== undefined) parts.push(`until ${expected.expires}`);
  return parts.join(", ");
}

/**
 * The expected and the actual value, each cut to `limit` characters. If long values have a common beginning, both
 * excerpts start shortly before the first difference.
 */
export function excerpts(
  { wanted, got }: { wanted: string; got: string },
  limit: number,
): [wanted: string, got: string] {
  let same = 0;
  while (same < wanted.length && wanted[same] === got[same]) same += 1;
  // A short common part shows the context.
  const start = same > limit / 4 ? Math.max(0, same - 30) : 0;
  return [excerpt(wanted, start, limit), excerpt(got, start, limit)];
}

function excerpt(text: string, start: number, limit: number): string {
  if (text.length <= limit) return text;
  const end = start + limit < text.length ? `… (${text.length} characters)` : "";
  return `${start > 0 ? "…" : ""}${text.slice(start, start + limit)}${end}`;
}
