import type { ScratchDatabase } from "../inspect/database_copy.ts";
import type { Finding } from "../inspect/findings.ts";
import { FindingList } from "./finding_list.ts";
import { isAboutMetrics, judgeMetricsDatabase, lineToJudgeBy } from "./judge_metrics_database.ts";
import { judgePatternsDatabase } from "./judge_patterns_database.ts";

/**
 * Judges one requirement of a database as `check-file` judges it, for a check of a case.
 * @param copy from `openCopy`: trial rows are inserted and rolled back.
 * @param requirement the id of a `must` of sections 2.1 to 2.5 or 4, or of the name of the level (section 9).
 * @returns the errors that break this requirement. If another error prevents its judgement, that error: what was not
 * judged does not pass.
 * @throws {Error} when no judgement of a database concerns the requirement.
 * @example judgeRequirement(copy, "R-2.3/patterns.agent")
 */
export function judgeRequirement(copy: ScratchDatabase, requirement: string): Finding[] {
  const list = new FindingList();
  const findings = isAboutMetrics(requirement)
    ? judgeMetricsDatabase(copy, lineToJudgeBy(copy, requirement), list)
    : judgePatternsDatabase(copy, list);
  const errors = findings.filter(({ level }) => level === "error");
  const about = errors.filter((finding) => finding.requirement === requirement);
  if (about.length > 0 || list.isJudged(requirement)) return about;
  if (errors.length === 0) throw new Error(`no judgement of a database concerns the requirement ${requirement}`);
  return errors.slice(0, 1);
}
