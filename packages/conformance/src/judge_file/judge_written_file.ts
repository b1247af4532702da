import { readFileSync, statSync } from "node:fs";
import { openCopy } from "../inspect/database_copy.ts";
import type { Finding } from "../inspect/findings.ts";
import { LINES } from "./file_report.ts";
import type { JudgedAs, Line } from "./file_report.ts";
import { judgeLibraryBytes } from "./judge_library.ts";
import { judgeMetricsDatabase } from "./judge_metrics_database.ts";
import { judgePatternsDatabase } from "./judge_patterns_database.ts";
import { judgeStateBytes } from "./judge_state.ts";

/**
 * The judgement of `check-file` for a step of a case: what an implementation wrote must break no stated requirement.
 * @param path the file; `name` is what the case calls it.
 * @param scratch a folder of the suite, for the copy of a database.
 * @returns the errors; remarks are left out, since open questions have cases of their own.
 * @example judgeWrittenFile("library", join(directory, "library.json"), "library.json", "16", scratch)
 */
export function judgeWrittenFile(as: JudgedAs, path: string, name: string, line: Line, scratch: string): Finding[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    return [{ at: "", wanted: `the file ${name}`, got: undefined }];
  return judge(as, path, line, scratch)
    .filter(({ level }) => level !== "remark")
    .map((finding) => ({ check: finding.requirement ?? as, ...finding }));
}

function judge(as: JudgedAs, path: string, line: Line, scratch: string): Finding[] {
  if (as === "library") return judgeLibraryBytes(readFileSync(path));
  if (as === "state") return judgeStateBytes(readFileSync(path));
  const copy = openCopy(path, scratch);
  try {
    return as === "patterns-database" ? judgePatternsDatabase(copy) : judgeMetricsDatabase(copy, line);
  } finally {
    copy.close();
  }
}

/** The line that a version of the specification belongs to; 16 begins with its prereleases. */
export function lineOf(version: string): Line {
  return LINES[Number.parseInt(version, 10) < 16 ? 0 : 1] as Line;
}
