import type { Level } from "../corpus/requirement.ts";

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
}

/** First line of a report: who was judged, against which version. */
export interface RunRecord {
  record: "run";
  suite: string;
  /** UTC, ISO 8601. */
  started_at: string;
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
  /** Why there is no result, where there is none. */
  reason?: string;
  requirements: { id: string; section: string; statement: string }[];
  failures: Failure[];
  /** The end of what the adapter wrote to stderr, with a crash, a timeout or a protocol error. */
  diagnostics?: string;
  duration_ms: number;
}

/** Last line of a report. */
export interface EndRecord {
  record: "end";
  counts: Record<Verdict, number>;
  /** Number of case files on the disk; the counts sum to it. */
  case_files: number;
  conformant: boolean;
  exit_code: 0 | 1 | 3;
  /** Anything else that a reader must know, such as why a run ended early. */
  notes: string[];
  duration_ms: number;
}

/** One line of `report.ndjson`, the stream that every other report is made from. */
export type ReportRecord = RunRecord | CaseRecord | EndRecord;
