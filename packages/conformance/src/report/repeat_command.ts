import type { RunRecord } from "./record.ts";

/** The command that judges one case once more, or every case of one requirement, on the same line. */
export function repeatCommand(run: RunRecord, what: { case: string } | { requirement: string }): string {
  const line = run.line === "" ? "" : ` --line ${run.line}`;
  const selection = "case" in what ? `--case ${what.case}` : `--requirement ${what.requirement}`;
  return `perdura-conformance run ${run.option}${line} ${selection}`;
}
