import type { Level, Requirement } from "../corpus/requirements.ts";

/** Verdicts; every case file has exactly one. */
export const VERDICTS = [
  "pass",
  "fail",
  "crash",
  "timeout",
  "protocol-error",
  "harness-error",
  "unsupported",
  "inapplicable",
  "observed",
  "not-run",
] as const;

/** The verdict of one case. */
export type Verdict = (typeof VERDICTS)[number];

/** One difference, with its text for reports. */
export interface Failure {
  /** Number of the step, from 1. */
  step: number;
  /** Id of the check of the step, if it has one. */
  check?: string;
  /** The step in words: `call save_to_json`, `inspect sqlite metrics.db`. */
  where: string;
  /** JSON Pointer into the value; empty for the whole value. */
  at: string;
  wanted: string;
  got: string;
  /** The error instead of an answer: the implementation's own name of it, and its message. */
  error?: string;
  /** Arguments of the call and beginnings of files, a line each. Only on the first difference of a step. */
  given?: string[];
}

/** First line of a report: the implementation and the version that it was judged by. */
export interface RunRecord {
  record: "run";
  /** Version of this format. */
  format: 1;
  suite: string;
  adapter: string;
  transport: "in-process" | "stdio";
  /** Option of the command line for the adapter. */
  option: string;
  /** The value of `--line`; empty if the adapter chose. */
  line: string;
  /** The version that the cases were selected for; null if the adapter did not answer. */
  spec_version: string | null;
  implementation: { name: string; version: string; language: string } | null;
  capabilities: string[];
  /** Groups that the implementation cannot have, with the reasons. */
  inapplicable?: Record<string, string>;
  choices: Record<string, string>;
  /** Name of the profile that limited the run, or null. */
  profile: string | null;
  /** Seed of the shuffled order of the cases; null for the order of the ids. */
  seed: number | null;
  /** Number of sequences of each generated case, if it was chosen. */
  runs?: number;
  /** Limit for one answer in seconds, if it was chosen. */
  timeout_s?: number;
  /** The folder of the cases, if they are not those of the suite. */
  cases?: string;
}

/** One line for each requirement, so that a report is self-contained. */
export interface RequirementRecord extends Requirement {
  record: "requirement";
}

/** The entry of the expected-failure list for a case, and its comparison with the verdict. */
export interface Expected {
  verdict: Verdict;
  kind: string;
  link?: string;
  expires?: string;
  checks?: string[];
  /** True if the case failed exactly as expected. */
  met: boolean;
}

/** One line for each case file. */
export interface CaseRecord {
  record: "case";
  id: string;
  title: string;
  level: Level;
  /** True if the verdict counts: always for must and should, for an open question if our ruling was declared. */
  scored: boolean;
  verdict: Verdict;
  /** For `observed`: true if the behaviour follows our ruling. */
  as_ruled?: boolean;
  /** True if the profile of the run excludes this case, so that it does not count for the judgement. */
  outside_profile?: true;
  /** Open questions that the case answered, each with the id of the answer, or `other`. */
  answers?: Record<string, string>;
  /** The entry of the expected-failure list for this case. */
  expected?: Expected;
  /** Reason for a missing result. */
  reason?: string;
  /** The step or request at which the adapter failed, for a crash, a timeout or a protocol error. */
  place?: string;
  /** Ids of the requirements that the case checks. */
  requirements: string[];
  failures: Failure[];
  /** The failed sequence of a generated case, shortened: its steps, and the seed and number that it was made from. */
  generated?: { seed: number; sequence: number; steps: object[] };
  /** The beginning and the end of the adapter's last stderr output, for a crash, a timeout or a protocol error. */
  diagnostics?: string;
}

/** Exit code of a judgement: 0 as expected, 4 not as expected, 1 nothing was judged. */
export type JudgementCode = 0 | 1 | 4;

/** Exit code of a run: that of its judgement, or 130 if it was interrupted. */
export type RunCode = JudgementCode | 130;

/** The judgement of the whole run. */
export interface EndRecord {
  record: "end";
  counts: Record<Verdict, number>;
  /** Number of case files on the disk, which is the sum of the counts. */
  case_files: number;
  conformant: boolean;
  exit_code: RunCode;
  /** Further facts for the reader, for example the reason that a run ended early. */
  notes: string[];
  /** Every deviation from the expectation; any of them makes the exit code of a complete run 4. */
  unexpected: { id: string; what: string }[];
}

/** Last line: all data in which two runs of the same implementation may differ. */
export interface TimingRecord {
  record: "timing";
  /** UTC, ISO 8601. */
  started_at: string;
  duration_ms: number;
  /** Version of the Node.js process that ran the suite. */
  node: string;
  platform: string;
  /** Milliseconds by case id, for the cases that ran. */
  cases: Record<string, number>;
}

/** One line of `report.ndjson`, the source of every other report. */
export type ReportRecord = RunRecord | RequirementRecord | CaseRecord | EndRecord | TimingRecord;
