import { EXIT } from "@perdura/cli/exit_codes.js";
import type { Level } from "../corpus/requirements.ts";
import type { CaseRecord } from "./record.ts";
import type { ReportView } from "./report_view.ts";
import { BREACH, FAILED_VERDICTS, hasBreach, statusOf } from "./case_status.ts";

/** Number of scored cases of one level that passed, and of those that apply to the version. */
export interface Score {
  passed: number;
  applicable: number;
}

/** Kind of the judgement, for colours and sentences. */
export type Outcome =
  | "conformant"
  | "conformant-but"
  | "as-expected"
  | "incomplete"
  | "not-conformant"
  | "no-judgement";

/** Facts for a sentence about the judgement. */
export interface Conclusion {
  outcome: Outcome;
  must: Score;
  /** Scored must cases without a result. */
  missing: number;
  /** Must cases that ran and failed. */
  failed: number;
  /** Scored cases of other levels that did not pass and were not expected to fail. */
  others: number;
  /** Failures on the expected-failure list. */
  expected: number;
  /** Cases that wrote outside their directory; one is enough to lose conformance. */
  breaches: number;
  /** Unexpected deviations other than failures: unexpected passes, stale and expired entries. */
  listDeviations: number;
}

/** The score of a level, without cases that are not scored, apply to another version or are outside the profile. */
export function scoreOf(view: ReportView, level: Level): Score {
  const counted = view.cases.filter((record) => record.level === level && isBinding(record));
  return { passed: counted.filter((record) => record.verdict === "pass").length, applicable: counted.length };
}

function isBinding({ scored, verdict, outside_profile: outside }: CaseRecord): boolean {
  return scored && verdict !== "inapplicable" && outside !== true;
}

/** Judges a run as a whole. */
export function concludeReport(view: ReportView): Conclusion {
  const { end, cases } = view;
  const must = cases.filter((record) => record.level === "must" && isBinding(record));
  const conclusion: Omit<Conclusion, "outcome"> = {
    must: scoreOf(view, "must"),
    missing: must.filter(({ verdict }) => verdict === "not-run" || verdict === "unsupported").length,
    failed: must.filter(({ verdict }) => FAILED_VERDICTS.has(verdict)).length,
    others: cases.filter(
      (record) =>
        record.scored &&
        record.level !== "must" &&
        (FAILED_VERDICTS.has(record.verdict) || record.verdict === "unsupported") &&
        statusOf(record, view) !== "expected",
    ).length,
    expected: cases.filter((record) => statusOf(record, view) === "expected").length,
    breaches: cases.filter(hasBreach).length,
    listDeviations: end.unexpected.filter(({ id }) => {
      const record = cases.find((candidate) => candidate.id === id);
      return !record || ["pass", "observed", "inapplicable"].includes(record.verdict);
    }).length,
  };
  return { outcome: outcomeOf(view, conclusion), ...conclusion };
}

function outcomeOf(
  { end }: ReportView,
  { others, listDeviations: list, expected }: Omit<Conclusion, "outcome">,
): Outcome {
  if (end.exit_code === EXIT.failed) return "no-judgement";
  if (end.conformant) return others + list === 0 ? "conformant" : "conformant-but";
  if (end.unexpected.length > 0) return "not-conformant";
  return expected > 0 ? "as-expected" : "incomplete";
}

/** Last line of the text reports. */
export function verdictLine(view: ReportView): string {
  const { outcome, must, missing, others, expected, breaches, listDeviations: list } = concludeReport(view);
  const within = view.run.profile === null ? "" : ` (profile ${view.run.profile})`;
  const entries = list === 0 ? "" : `, and ${count(list, "deviation")} from the expected-failure list`;
  switch (outcome) {
    case "conformant":
    case "conformant-but": {
      const but = others === 0 ? "" : `, but ${count(others, "other scored case")} did not pass`;
      return `conformant${within}: ${must.passed} of ${must.applicable} must cases passed${but}${entries}`;
    }
    case "no-judgement":
      return "no judgement: no case was run, or the suite itself failed";
    case "as-expected":
      return `not conformant${within}, as expected: ${count(expected, "expected failure")}, no other failures`;
    case "incomplete":
      return `not fully judged${within}: ${count(missing, "must case was", "must cases were")} not run`;
    case "not-conformant": {
      const lost = must.applicable - must.passed;
      const left = missing === 0 ? "" : `, ${missing} of them without a result`;
      const reasons = [
        ...(breaches === 0 ? [] : [`${count(breaches, "case")} ${BREACH}`]),
        ...(lost === 0 ? [] : [`${lost} of ${must.applicable} must cases did not pass${left}`]),
      ];
      return `not conformant${within}${reasons.length === 0 ? "" : `: ${reasons.join("; ")}`}${entries}`;
    }
  }
}

/** A number with its noun: `1 case`, `2 cases`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
