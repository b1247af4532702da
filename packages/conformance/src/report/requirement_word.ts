import type { CaseRecord, RequirementRecord } from "./record.ts";
import type { ReportView } from "./report_view.ts";
import { BROKEN, standingOf } from "./standing.ts";

/** What the cases of one requirement say together, in a word for a table cell. The worst case decides. */
export type RequirementWord =
  | "FAIL"
  | "expected fail"
  | "fail, not scored"
  | "unsupported"
  | "part not run"
  | "not run"
  | "n/a"
  | "observed"
  | "pass"
  | "no case"
  | "";

/**
 * The word for one requirement.
 * @param row undefined when the report does not know the requirement.
 */
export function requirementWord(
  row: RequirementRecord | undefined,
  cases: readonly CaseRecord[],
  view: ReportView,
): RequirementWord {
  if (!row) return "";
  if (cases.length === 0) return "no case";
  const standings = new Set(cases.map((record) => standingOf(record, view)));
  const verdicts = new Set(cases.map((record) => record.verdict));
  const applicable = cases.filter((record) => record.verdict !== "inapplicable");
  // An unexpected pass breaks the list of expected failures, not the requirement.
  if (cases.some((record) => standingOf(record, view) === "unexpected" && BROKEN.has(record.verdict))) return "FAIL";
  if (standings.has("expected")) return "expected fail";
  if (standings.has("unscored")) return "fail, not scored";
  if (verdicts.has("unsupported")) return "unsupported";
  if (applicable.length === 0) return "n/a";
  if (verdicts.has("not-run"))
    return applicable.some(({ verdict }) => verdict !== "not-run") ? "part not run" : "not run";
  return verdicts.has("pass") ? "pass" : "observed";
}
