import type { Level } from "../corpus/requirements.ts";
import { jsonText } from "../values/escape.ts";
import { scoreOf, type Score } from "./conclusion.ts";
import type { RunCode, CaseRecord, ReportRecord, Verdict } from "./record.ts";
import { subjectOf, viewOf } from "./report_view.ts";
import { FAILED_VERDICTS, statusOf } from "./case_status.ts";

/** The short form of a run for programs; `schemas/summary.schema.json` describes it. */
export interface Summary {
  /** Version of the suite. */
  suite: string;
  implementation: string;
  /** The value of `--line`; empty if the adapter chose. */
  line: string;
  spec_version: string | null;
  /** Name of the profile that limited the run, or null. */
  profile: string | null;
  conformant: boolean;
  exit_code: RunCode;
  case_files: number;
  counts: Record<Verdict, number>;
  /** By level: scored cases that passed, and those that apply to the version. */
  levels: Record<Exclude<Level, "extra">, Score>;
  /** The scored cases that did not pass and are not expected failures. */
  attention: { id: string; verdict: Verdict }[];
  /** Failures on the expected-failure list. */
  expected_failures: { id: string; verdict: Verdict }[];
  /** Every deviation from the expectation; any of them makes the exit code 4. */
  unexpected: { id: string; what: string }[];
  notes: string[];
}

/**
 * Makes the JSON summary: a pure function of the records of one run.
 * @throws {Error} when the first or last record is missing.
 */
export function summarise(records: readonly ReportRecord[]): Summary {
  const view = viewOf(records);
  const { run, end, cases } = view;
  const named = (chosen: readonly CaseRecord[]): { id: string; verdict: Verdict }[] =>
    chosen.map(({ id, verdict }) => ({ id, verdict }));
  const expected = cases.filter((record) => statusOf(record, view) === "expected");
  return {
    suite: run.suite,
    implementation: subjectOf(run),
    line: run.line,
    spec_version: run.spec_version,
    profile: run.profile,
    conformant: end.conformant,
    exit_code: end.exit_code,
    case_files: end.case_files,
    counts: end.counts,
    levels: { must: scoreOf(view, "must"), should: scoreOf(view, "should"), observe: scoreOf(view, "observe") },
    attention: named(cases.filter((record) => failedScored(record) && !expected.includes(record))),
    expected_failures: named(expected),
    unexpected: end.unexpected,
    notes: end.notes,
  };
}

function failedScored({ scored, verdict }: CaseRecord): boolean {
  return scored && (FAILED_VERDICTS.has(verdict) || verdict === "unsupported");
}

/** The summary as the text that `--json` prints. */
export function jsonReport(records: readonly ReportRecord[]): string {
  return jsonText(summarise(records));
}
