import { EXIT } from "@perdura/cli/exit_codes.js";
import { SANDBOX_CHECK } from "../corpus/own_checks.ts";
import type { CaseRecord, Failure, Verdict } from "./record.ts";
import type { ReportView } from "./report_view.ts";

/**
 * Meaning of a verdict for the reader: `unexpected` makes the exit code non-zero, `expected` is on the expected-failure
 * list, `unscored` failed but never counts, `skipped` has no result.
 */
export type CaseStatus = "passed" | "observed" | "skipped" | "expected" | "unscored" | "unexpected";

/** Verdicts of a case that ran and failed, or that could not be judged. */
export const FAILED_VERDICTS: ReadonlySet<Verdict> = new Set<Verdict>([
  "fail",
  "crash",
  "timeout",
  "protocol-error",
  "harness-error",
]);

/** Verdicts without a result. None of them is a pass. */
const WITHOUT_RESULT: ReadonlySet<Verdict> = new Set<Verdict>(["unsupported", "inapplicable", "not-run"]);

/** The status of one case. The end record decides which cases are unexpected. */
export function statusOf(record: CaseRecord, view: ReportView): CaseStatus {
  if (view.unexpected.has(record.id) || record.verdict === "harness-error") return "unexpected";
  if (record.expected?.met === true) return "expected";
  if (record.verdict === "pass") return "passed";
  if (record.verdict === "observed") return "observed";
  if (WITHOUT_RESULT.has(record.verdict)) return "skipped";
  return record.scored ? "unexpected" : "unscored";
}

/** Number of failures from which a report says where to begin. */
export const MIN_FAILURES = 3;

/** True for a case that the reader should look at: an unexpected one, or a failure that does not count. */
export function needsAttention(record: CaseRecord, view: ReportView): boolean {
  const status = statusOf(record, view);
  return status === "unexpected" || status === "unscored";
}

/** True for a case that ran, counts, and failed unexpectedly. */
export function hasFailed(record: CaseRecord, view: ReportView): boolean {
  return FAILED_VERDICTS.has(record.verdict) && statusOf(record, view) === "unexpected";
}

/**
 * Deviations that belong to no case: stale entries of the expected-failure list, and the reason for a missing
 * judgement.
 */
export function strayDeviations(view: ReportView): { id: string; what: string }[] {
  const ids = new Set(view.cases.map((record) => record.id));
  const stray = view.end.unexpected.filter(({ id }) => !ids.has(id));
  if (view.end.exit_code !== EXIT.failed) return stray;
  const what = view.end.notes.length > 0 ? view.end.notes.join("; ") : "no case was run, or the suite itself failed";
  return [...stray, { id: "run", what }];
}

/** Text of the reports for a case that wrote outside its directory. */
export const BREACH = "wrote outside its directory";

/** True for the failure that the runner adds when files appeared outside the case's directory. */
export function isBreach({ check }: Failure): boolean {
  return check === SANDBOX_CHECK;
}

/** True for a case that wrote outside its directory, which counts at every level. */
export function hasBreach({ failures }: CaseRecord): boolean {
  return failures.some(isBreach);
}
