import type { Level, Requirement } from "../corpus/requirements.ts";

/** The outcome of one case; every case file gets exactly one. */
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

/** The outcome of one case. */
export type Verdict = (typeof VERDICTS)[number];

/** One difference, ready for a reader. */
export interface Failure {
  /** Number of the step, from 1. */
  step: number;
  /** Id of the check inside the step, where it has one. */
  check?: string;
  /** The step in words: `call save_to_json`, `inspect sqlite metrics.db`. */
  where: string;
  /** JSON Pointer into the value; empty for the whole. */
  at: string;
  wanted: string;
  got: string;
  /** The error that came instead of an answer: the implementation's own name of it, and its message. */
  error?: string;
}

/** First line of a report: who was judged, against which version. */
export interface RunRecord {
  record: "run";
  /** The version of this format. */
  format: 1;
  suite: string;
  adapter: string;
  transport: "in-process" | "stdio";
  /** The option that names the adapter on the command line. */
  option: string;
  /** What `--line` asked for; empty when the adapter chose. */
  line: string;
  /** The version that the cases were selected for; null when the adapter did not answer. */
  spec_version: string | null;
  implementation: { name: string; version: string; language: string } | null;
  capabilities: string[];
  choices: Record<string, string>;
  /** Name of the profile that narrowed the run, or null. */
  profile: string | null;
  /** What the order of the cases was shuffled with, or null for the order of the ids. */
  seed: number | null;
}

/** One line for each requirement: a report explains itself. */
export interface RequirementRecord extends Requirement {
  record: "requirement";
}

/** An entry of the expected-failure list, beside what came. */
export interface Expected {
  verdict: Verdict;
  kind: string;
  link?: string;
  expires?: string;
  checks?: string[];
  /** Whether exactly this came. */
  met: boolean;
}

/** One line for each case file. */
export interface CaseRecord {
  record: "case";
  id: string;
  title: string;
  level: Level;
  /** Whether the verdict counts: always for must and should, for an open question when our ruling was declared. */
  scored: boolean;
  verdict: Verdict;
  /** For `observed`: whether the behaviour is what our ruling says. */
  as_ruled?: boolean;
  /** The profile of the run leaves this case out: it does not count for the judgement. */
  outside_profile?: true;
  /** Open questions that the case saw answered: the id of the answer, or `other`. */
  answers?: Record<string, string>;
  /** What the expected-failure list says about this case. */
  expected?: Expected;
  /** Why there is no result, where there is none. */
  reason?: string;
  /** Ids of the requirements that the case checks. */
  requirements: string[];
  failures: Failure[];
  /** What the adapter last wrote to stderr, its beginning and its end, with a crash, a timeout or a protocol error. */
  diagnostics?: string;
}

/** How a judgement ended: 0 as expected, 4 not as expected, 1 nothing was judged. Programs end with it. */
export type JudgementCode = 0 | 1 | 4;

/** The judgement over the whole run. */
export interface EndRecord {
  record: "end";
  counts: Record<Verdict, number>;
  /** Number of case files on the disk; the counts sum to it. */
  case_files: number;
  conformant: boolean;
  exit_code: JudgementCode;
  /** Anything else that a reader must know, such as why a run ended early. */
  notes: string[];
  /** Every deviation from what was expected: what makes the exit code 4. */
  unexpected: { id: string; what: string }[];
}

/** Last line: everything in which two runs of the same implementation may differ. */
export interface TimingRecord {
  record: "timing";
  /** UTC, ISO 8601. */
  started_at: string;
  duration_ms: number;
  /** Version of the Node.js that ran the suite. */
  node: string;
  platform: string;
  /** Milliseconds by case id, for the cases that ran. */
  cases: Record<string, number>;
}

/** One line of `report.ndjson`, the stream that every other report is made from. */
export type ReportRecord = RunRecord | RequirementRecord | CaseRecord | EndRecord | TimingRecord;
