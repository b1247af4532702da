import type { Requirement } from "../corpus/requirements.ts";
import { escapeControls } from "../values/escape.ts";
import type { FileFinding, FileKind, FileReport } from "./file_report.ts";

const KINDS: Record<FileKind, string> = {
  library: "a pattern library (JSON)",
  state: "a collaboration state (JSON)",
  "metrics-export": "an export of metrics (JSON)",
  "patterns-database": "a pattern database (SQLite)",
  "metrics-database": "a metrics database (SQLite)",
  "combined-database": "a database of patterns and metrics (SQLite)",
  json: "JSON of another kind, or invalid JSON",
  sqlite: "an SQLite database of another kind, or a damaged one",
  other: "neither JSON nor SQLite",
};

const RED = 31;
const GREEN = 32;
const YELLOW = 33;

type Paint = (text: string, code: number) => string;

/**
 * The judgement of a file as text for a terminal: a pure function of the report.
 * @param requirements the statements to show, by id: those of {@link loadRequirements}.
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { checkFile, fileReportText, loadRequirements } from "@perdura/conformance";
 *
 * writeFileSync("library.json", '{"patterns": [], "agent_contributions": {}}');
 * const text = fileReportText(checkFile("library.json"), loadRequirements(), { colour: false });
 * console.log(text.split("\n").at(-2)); // does not conform to lines 15 and 16
 * ```
 */
export function fileReportText(
  report: FileReport,
  requirements: ReadonlyMap<string, Requirement>,
  style: { colour: boolean },
): string {
  const paint: Paint = (text, code) => (style.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const lines = report.lines.map(({ line }) => line);
  const nature = report.as === null ? `${KINDS[report.kind]}, judged` : `judged as ${KINDS[report.as]}`;
  const blocks = [
    [escapeControls(`perdura-conformance ${report.suite}: ${report.file}, ${nature} by ${lineWords(lines)}`)],
    ...kindsOf(report.findings).map((kind) => kindBlock(kind, lines.length, requirements, paint)),
    closing(report, paint),
  ];
  return `${blocks.map((block) => block.join("\n")).join("\n\n")}\n`;
}

function lineWords(lines: readonly string[]): string {
  return lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.join(" and ")}`;
}

/** Groups findings of one kind, so that their requirement is shown once. */
function kindsOf(findings: readonly FileFinding[]): FileFinding[][] {
  const kinds = new Map<string, FileFinding[]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.level, finding.requirement ?? null, finding.wanted, finding.concerns]);
    kinds.set(key, [...(kinds.get(key) ?? []), finding]);
  }
  return [...kinds.values()];
}

function kindBlock(
  kind: FileFinding[],
  judged: number,
  requirements: ReadonlyMap<string, Requirement>,
  paint: Paint,
): string[] {
  const { level, concerns, requirement, wanted } = kind[0] as FileFinding;
  const only = concerns.length < judged ? ` (${lineWords(concerns)} only)` : "";
  const lines = [
    `${paint(level.toUpperCase(), level === "error" ? RED : YELLOW)}${only} expected: ${escapeControls(wanted)}`,
  ];
  if (requirement !== undefined) {
    const row = requirements.get(requirement);
    const words = row ? `${row.id}, section ${row.section}, ${row.level}: ${row.statement}` : requirement;
    lines.push(entry("requirement", words));
  }
  for (const { at, line, column, got, more } of kind) {
    const place = [
      at === "" ? "the whole file" : shortPointer(at),
      ...(line === undefined ? [] : [`line ${line}, column ${column}`]),
    ];
    lines.push(entry("where", place.join(", ")), entry("got", got));
    if (more !== undefined) lines.push(entry("and", `${more.toLocaleString("en")} more`));
  }
  return lines;
}

/** A key may be as long as the file: a long pointer is shortened to its beginning and end. */
function shortPointer(pointer: string): string {
  if (pointer.length <= LONGEST_POINTER) return pointer;
  const size = pointer.length.toLocaleString("en");
  return `${pointer.slice(0, LONGEST_POINTER - 50)}…${pointer.slice(-50)} (${size} characters)`;
}

const LONGEST_POINTER = 200;

function entry(label: string, text: string): string {
  return `  ${label.padEnd(12)}  ${escapeControls(text)}`;
}

function closing(report: FileReport, paint: Paint): string[] {
  const count = (level: FileFinding["level"]): string => {
    const number = report.findings
      .filter((finding) => finding.level === level)
      .reduce((sum, { more }) => sum + 1 + (more ?? 0), 0);
    return `${number.toLocaleString("en")} ${level}${number === 1 ? "" : "s"}`;
  };
  const verdict = (conforms: boolean): string[] =>
    report.lines.filter((judged) => judged.conforms === conforms).map(({ line }) => line);
  const lines = [`${count("error")}, ${count("remark")}`];
  if (verdict(true).length > 0) lines.push(paint(`conforms to ${lineWords(verdict(true))}`, GREEN));
  if (verdict(false).length > 0) lines.push(paint(`does not conform to ${lineWords(verdict(false))}`, RED));
  return lines;
}
