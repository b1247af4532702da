import { resolve } from "node:path";
import { UsageError } from "@perdura/cli/usage_error.js";
import { renderReport } from "../report/formats.ts";
import { checkWritable, writeAtomically } from "../report/write_file.ts";
import type { SuiteResult } from "../runner/suite_options.ts";
import { REPORT_FILE_OPTIONS, type ReportFileOption } from "./table.ts";

/** Options of `run` that name a file to write. */
type Option = ReportFileOption | "write-expected-failures";
const OPTIONS: readonly Option[] = [...REPORT_FILE_OPTIONS, "write-expected-failures"];

/** The files of the options. */
export type ReportFileValues = Partial<Record<Option, string | undefined>>;

/**
 * Tries to open every file before the run, so that an unwritable path is reported at once.
 * @throws {UsageError} naming the option, when a file cannot be written or two options name the same file.
 */
export function checkReportFiles(values: ReportFileValues): void {
  const taken = new Map<string, Option>();
  for (const [option, file] of wanted(values)) {
    const other = taken.get(resolve(file));
    if (other !== undefined) throw new UsageError(`--${option} ${file}: --${other} writes to the same file.`);
    taken.set(resolve(file), option);
    try {
      checkWritable(file);
    } catch (error) {
      throw new UsageError(`${unwritable(option, file, error)}.`, { cause: error });
    }
  }
}

/**
 * Writes the requested reports, each completely or not at all. A failed report does not stop the others.
 * @throws {Error} naming every option whose file could not be written.
 */
export function writeReportFiles(
  result: Pick<SuiteResult, "records" | "expectedFailures">,
  values: ReportFileValues,
): void {
  const faults: string[] = [];
  for (const [option, file] of wanted(values)) {
    const text = content(option, result);
    try {
      writeAtomically(file, text);
    } catch (error) {
      faults.push(unwritable(option, file, error));
    }
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

function wanted(values: ReportFileValues): [Option, string][] {
  return OPTIONS.flatMap((option) => {
    const file = values[option];
    if (file === "") throw new UsageError(`--${option}: expected the name of a file, got an empty text.`);
    return file === undefined ? [] : [[option, file]];
  });
}

function content(
  option: Option,
  { records, expectedFailures }: Pick<SuiteResult, "records" | "expectedFailures">,
): string {
  if (option === "write-expected-failures")
    return `${JSON.stringify({ expected_failures: expectedFailures }, null, 2)}\n`;
  if (option === "report") return records.map((record) => `${JSON.stringify(record)}\n`).join("");
  return renderReport(option, [records]);
}

function unwritable(option: Option, file: string, error: unknown): string {
  return `--${option} ${file}: the file cannot be written: ${(error as Error).message}`;
}
