import type { Finding } from "../inspect/findings.ts";
import { escapeControls, show } from "../values/escape.ts";
import { isTaggedNumber, tokenOf } from "../values/json_value.ts";
import { Words } from "./finding_list.ts";

/** A line of the specification: before 16.0.0, or 16. */
export type Line = "15" | "16";

/** Both lines. */
export const LINES: readonly Line[] = ["15", "16"];

/** What a file can be judged as. */
export const JUDGED_AS = ["library", "state", "patterns-database", "metrics-database"] as const;

/** What a file can be judged as. */
export type JudgedAs = (typeof JUDGED_AS)[number];

/**
 * What a file is: one of {@link JUDGED_AS}, a database with both sets of tables, the JSON that `export_metrics` wrote, other
 * or broken JSON, another or a broken SQLite database, or neither.
 */
export type FileKind = JudgedAs | "combined-database" | "metrics-export" | "json" | "sqlite" | "other";

/** One finding about a file, ready for a reader. */
export interface FileFinding extends Omit<Finding, "check" | "level" | "got"> {
  level: "error" | "remark";
  /** The lines of the specification that the finding holds for. */
  concerns: Line[];
  /** What was found, as JSON text, cut where it is long. Safe for a terminal. */
  got: string;
}

/** The judgement over one file; `schemas/file-report.schema.json` describes it. */
export interface FileReport {
  report: "file";
  /** Version of this suite. */
  suite: string;
  /** The path as it was given. */
  file: string;
  kind: FileKind;
  /** What it was judged as on demand, or null. */
  as: JudgedAs | null;
  /** The lines that it was judged by: no error concerns a line that it conforms to. */
  lines: { line: Line; conforms: boolean }[];
  /** Whether it conforms to any of these lines. */
  conforms: boolean;
  findings: FileFinding[];
}

/** Exact numbers are shown as they stand in the file, and words without quotes. */
function shown(value: unknown): string {
  const text = value instanceof Words ? value.text : isTaggedNumber(value) ? tokenOf(value) : undefined;
  if (text === undefined) return show(value);
  const limit = 400;
  return text.length <= limit
    ? escapeControls(text)
    : `${escapeControls(text.slice(0, limit))}… (${text.length} characters)`;
}

/** The findings of all lines in one list, each told once with the lines that it concerns. Errors come first. */
export function mergeFindings(byLine: Map<Line, Finding[]>): FileFinding[] {
  const merged = new Map<string, FileFinding>();
  for (const [line, findings] of byLine) {
    for (const { check: _check, level, got, ...finding } of findings) {
      const told: FileFinding = { level: level ?? "error", concerns: [line], ...finding, got: shown(got) };
      const key = JSON.stringify({ ...told, concerns: [] });
      const before = merged.get(key);
      if (before) before.concerns.push(line);
      else merged.set(key, told);
    }
  }
  const all = [...merged.values()];
  return [...all.filter(({ level }) => level === "error"), ...all.filter(({ level }) => level === "remark")];
}
