import type { CaseRecord, EndRecord, ReportRecord, RunRecord, Verdict } from "./record.ts";

/** The short form of a run for programs: counts and the cases that need attention. */
export interface Summary {
  implementation: string;
  spec_version: string | null;
  conformant: boolean;
  exit_code: 0 | 1 | 3;
  case_files: number;
  counts: Record<Verdict, number>;
  /** Ids of the scored cases that did not pass, by verdict. */
  attention: { id: string; verdict: Verdict }[];
  notes: string[];
}

/** Makes the JSON summary: a pure function of the records of one run. */
export function summarise(records: readonly ReportRecord[]): Summary {
  const run = records.find((record): record is RunRecord => record.record === "run");
  const end = records.find((record): record is EndRecord => record.record === "end");
  if (!run || !end) throw new Error("the report has no first or no last record: it is not complete");
  const cases = records.filter((record): record is CaseRecord => record.record === "case");
  const settled = new Set<Verdict>(["pass", "observed", "inapplicable", "not-run"]);
  return {
    implementation: run.implementation ? `${run.implementation.name} ${run.implementation.version}` : run.adapter,
    spec_version: run.spec_version,
    conformant: end.conformant,
    exit_code: end.exit_code,
    case_files: end.case_files,
    counts: end.counts,
    attention: cases
      .filter((record) => record.scored && !settled.has(record.verdict))
      .map(({ id, verdict }) => ({ id, verdict })),
    notes: end.notes,
  };
}
