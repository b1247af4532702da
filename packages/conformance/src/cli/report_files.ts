import { resolve } from "node:path";
import { renderReport } from "../report/formats.ts";
import type { Format } from "../report/formats.ts";
import type { ReportRecord } from "../report/record.ts";
import { checkWritable, writeWhole } from "../report/write_file.ts";
import { UsageError } from "./usage_error.ts";

/** The options of `run` that name a file for a report, as `parseArgs` takes them. */
export const REPORT_FILE_OPTIONS = {
  report: { type: "string" },
  html: { type: "string" },
  junit: { type: "string" },
  tap: { type: "string" },
  markdown: { type: "string" },
  badge: { type: "string" },
} as const;

/** The values of {@link REPORT_FILE_OPTIONS}. */
export type ReportFileValues = Partial<Record<Option, string | undefined>>;

type Option = keyof typeof REPORT_FILE_OPTIONS;

/**
 * Tries every file before the run, so that a path that cannot be written is known at once.
 * @throws {UsageError} naming the option, when a file cannot be written or two options name the same file.
 */
export function checkReportFiles(values: ReportFileValues): void {
  const taken = new Map<string, Option>();
  for (const [option, file] of wanted(values)) {
    const other = taken.get(resolve(file));
    if (other !== undefined) throw new UsageError(`--${option} ${file}: --${other} writes to the same file`);
    taken.set(resolve(file), option);
    try {
      checkWritable(file);
    } catch (error) {
      throw new UsageError(unwritable(option, file, error));
    }
  }
}

/**
 * Writes the wanted reports, each whole or not at all. One that cannot be written does not keep back the others.
 * @throws {Error} naming every option whose file could not be written.
 */
export function writeReportFiles(records: readonly ReportRecord[], values: ReportFileValues): void {
  const faults: string[] = [];
  for (const [option, file] of wanted(values)) {
    const text = content(option, file, records);
    try {
      writeWhole(file, text);
    } catch (error) {
      faults.push(unwritable(option, file, error));
    }
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

function wanted(values: ReportFileValues): [Option, string][] {
  return (Object.keys(REPORT_FILE_OPTIONS) as Option[]).flatMap((option) => {
    const file = values[option];
    if (file === "") throw new UsageError(`--${option}: the name of a file is expected, and it is empty`);
    return file === undefined ? [] : [[option, file]];
  });
}

function content(option: Option, file: string, records: readonly ReportRecord[]): string {
  if (option === "report") return records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const format: Format = option === "badge" && file.toLowerCase().endsWith(".svg") ? "badge-svg" : option;
  return renderReport(format, [records]);
}

function unwritable(option: Option, file: string, error: unknown): string {
  return `--${option} ${file}: the report cannot be written: ${(error as Error).message}`;
}
