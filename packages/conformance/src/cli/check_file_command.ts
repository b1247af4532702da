import { loadRequirements } from "../corpus/load_requirements.ts";
import { UnfitFile, checkFile } from "../judge_file/check_file.ts";
import { JUDGED_AS, LINES } from "../judge_file/file_report.ts";
import type { FileReport, JudgedAs, Line } from "../judge_file/file_report.ts";
import { fileReportText } from "../judge_file/file_report_text.ts";
import { escapeControls } from "../values/escape.ts";
import { UsageError } from "./usage_error.ts";

/** The options of `check-file`, as `parseArgs` takes them. */
export const CHECK_FILE_OPTIONS = {
  line: { type: "string" },
  as: { type: "string" },
  json: { type: "boolean" },
} as const;

/** The values of {@link CHECK_FILE_OPTIONS}. */
export interface CheckFileValues {
  line?: string | undefined;
  as?: string | undefined;
  json?: boolean | undefined;
}

/**
 * `perdura-conformance check-file`: judges files and prints what is wrong where. Nothing is printed before all are judged.
 * @returns the exit code: 0 when every file conforms to the line that was asked for, or to any; else 1.
 * @throws {UsageError} when a word names no regular file, or an option has a value that it does not take.
 */
export function checkFileCommand(values: CheckFileValues, files: readonly string[]): number {
  const options = {
    ...(values.line === undefined ? {} : { line: chosen("--line", values.line, LINES) }),
    ...(values.as === undefined ? {} : { as: chosen("--as", values.as, JUDGED_AS) }),
  };
  const reports = files.map((file) => judged(file, options));
  process.stdout.write(values.json ? reports.map(jsonLine).join("") : humanText(reports));
  return reports.every(({ conforms }) => conforms) ? 0 : 1;
}

function judged(file: string, options: { line?: Line; as?: JudgedAs }): FileReport {
  try {
    return checkFile(file, options);
  } catch (error) {
    if (error instanceof UnfitFile) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

function chosen<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new UsageError(`${option} ${value}: there are ${allowed.join(", ")}`);
  return found;
}

function humanText(reports: readonly FileReport[]): string {
  const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
  const requirements = loadRequirements();
  return reports.map((report) => fileReportText(report, requirements, { colour })).join("\n");
}

/** One report in one line. Characters that would command a terminal become JSON escapes, which changes no value. */
function jsonLine(report: FileReport): string {
  return `${escapeControls(JSON.stringify(report))}\n`;
}
