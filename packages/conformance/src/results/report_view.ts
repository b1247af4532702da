import { parse } from "semver";
import { withoutUnreached } from "./common_failures.ts";
import { lineOfVersion } from "../corpus/version_range.ts";
import { shellWord } from "../values/escape.ts";
import type { CaseRecord, EndRecord, ReportRecord, RequirementRecord, RunRecord, TimingRecord } from "./record.ts";

/** The records of one run, grouped by kind; the input of every report. */
export interface ReportView {
  run: RunRecord;
  /** By id, in the order of the stream. */
  requirements: ReadonlyMap<string, RequirementRecord>;
  /** In the order of the stream, which is the order of the ids. */
  cases: readonly CaseRecord[];
  end: EndRecord;
  /** Missing only in a stream that was reduced to the data that two runs have in common. */
  timing: TimingRecord | undefined;
  /** Unexpected deviations of the end record, by the id of the case. */
  unexpected: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads a stream of records once.
 * @throws {Error} when the first record (`run`) or the judgement (`end`) is missing.
 * @example viewOf(result.records).end.counts.pass
 */
export function viewOf(records: readonly ReportRecord[]): ReportView {
  const requirements = new Map<string, RequirementRecord>();
  const cases: CaseRecord[] = [];
  const unexpected = new Map<string, string[]>();
  let run: RunRecord | undefined;
  let end: EndRecord | undefined;
  let timing: TimingRecord | undefined;
  for (const record of records) {
    if (record.record === "run") run = record;
    else if (record.record === "requirement") requirements.set(record.id, record);
    else if (record.record === "case") cases.push(record);
    else if (record.record === "end") end = record;
    else timing = record;
  }
  if (!run || !end) throw new Error("the report is incomplete: its first or last record is missing");
  for (const { id, what } of end.unexpected) unexpected.set(id, [...(unexpected.get(id) ?? []), what]);
  return { run, requirements, cases: withoutUnreached(cases), end, timing, unexpected };
}

/** Name and version of the implementation, or the adapter if it did not answer. Data of the implementation. */
export function subjectOf(run: RunRecord): string {
  return run.implementation ? `${run.implementation.name} ${run.implementation.version}` : run.adapter;
}

/** The line for a reader: `16`, `15`, or the requested one; empty if unknown. */
export function lineOf(run: RunRecord): string {
  if (run.spec_version === null) return run.line;
  // A report that was read from a file may contain any text.
  return parse(run.spec_version) === null ? run.spec_version : lineOfVersion(run.spec_version);
}

/** The command that judges one case again, or every case of one requirement, on the same line. */
export function repeatCommand(
  run: RunRecord,
  what: Pick<CaseRecord, "id" | "generated"> | { requirement: string },
): string {
  const line = run.line === "" ? "" : ` --line ${run.line}`;
  const timeout = run.timeout_s === undefined ? "" : ` --timeout ${run.timeout_s}`;
  const cases = run.cases === undefined ? "" : ` --cases ${shellWord(run.cases)}`;
  const selection = "id" in what ? `--case ${what.id}` : `--requirement ${what.requirement}`;
  const isGenerated = "id" in what && what.generated !== undefined;
  const seed = isGenerated && run.seed !== null ? ` --seed ${run.seed}` : "";
  const runs = isGenerated && run.runs !== undefined ? ` --runs ${run.runs}` : "";
  return `npx @perdura/conformance run ${run.option}${line}${timeout}${cases} ${selection}${seed}${runs}`;
}
