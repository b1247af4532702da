import type { Finding } from "../inspect/findings.ts";
import { escapeControls, show } from "../values/escape.ts";
import { isTaggedNumber, tokenOf } from "../values/json_value.ts";
import { SuiteText } from "../inspect/suite_text.ts";

/** A line of the specification: pre-16 (`15`) or 16+ (`16`). */
export type Line = "15" | "16";

/** Both lines. */
export const LINES: readonly Line[] = ["15", "16"];

/** Kinds of files that can be judged. */
export const JUDGED_AS = ["library", "state", "patterns-database", "metrics-database"] as const;

/** Kind of a file that can be judged. */
export type JudgedAs = (typeof JUDGED_AS)[number];

/**
 * Kind of a file: one of {@link JUDGED_AS}, a database with both sets of tables, the JSON that `export_metrics` wrote,
 * other or broken JSON, another or a broken SQLite database, or neither.
 */
export type FileKind = JudgedAs | "combined-database" | "metrics-export" | "json" | "sqlite" | "other";

/** One finding about a file, with its text for reports. */
export interface FileFinding extends Omit<Finding, "check" | "level" | "got"> {
  level: "error" | "remark";
  /** Lines of the specification that the finding concerns. */
  concerns: Line[];
  /** The value that was found, as JSON text, shortened if it is long. Safe for a terminal. */
  got: string;
}

/** The judgement of one file; `schemas/file-report.schema.json` describes it. */
export interface FileReport {
  report: "file";
  /** Version of this suite. */
  suite: string;
  /** The path that the caller gave. */
  file: string;
  kind: FileKind;
  /** The kind that the caller chose, or null. */
  as: JudgedAs | null;
  /** The lines that it was judged by; it conforms to a line that no error concerns. */
  lines: { line: Line; conforms: boolean }[];
  /** True if it conforms to at least one of these lines. */
  conforms: boolean;
  findings: FileFinding[];
}

/** Exact numbers are shown as in the file, words without quotes. */
function shown(value: unknown): string {
  const text = value instanceof SuiteText ? value.text : isTaggedNumber(value) ? tokenOf(value) : undefined;
  if (text === undefined) return show(value);
  const limit = 400;
  return text.length <= limit
    ? escapeControls(text)
    : `${escapeControls(text.slice(0, limit))}… (${text.length} characters)`;
}

/** Merges the findings of all lines; each is listed once with the lines that it concerns. Errors come first. */
export function mergeFindings(byLine: Map<Line, Finding[]>): FileFinding[] {
  const merged = new Map<string, FileFinding>();
  for (const [line, findings] of byLine) {
    for (const { check: _check, level, got, ...finding } of findings) {
      const entry: FileFinding = { level: level ?? "error", concerns: [line], ...finding, got: shown(got) };
      const key = JSON.stringify({ ...entry, concerns: [] });
      const before = merged.get(key);
      if (before) before.concerns.push(line);
      else merged.set(key, entry);
    }
  }
  const all = [...merged.values()];
  return [...all.filter(({ level }) => level === "error"), ...all.filter(({ level }) => level === "remark")];
}
