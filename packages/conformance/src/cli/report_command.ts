import { COMPARING, FORMATS, renderReport } from "../report/formats.ts";
import { readReport, ReportFileError } from "../report/read_report.ts";
import { writeWhole } from "../report/write_file.ts";
import { UsageError } from "./usage_error.ts";

/** The options of `report`, as `parseArgs` takes them. */
export const REPORT_OPTIONS = {
  format: { type: "string" },
  output: { type: "string" },
  by: { type: "string" },
} as const;

/** The values of {@link REPORT_OPTIONS}. */
export interface ReportValues {
  format?: string | undefined;
  output?: string | undefined;
  by?: string | undefined;
}

/**
 * `perdura-conformance report`: makes another report from files that `run --report` wrote.
 * @returns what is to be printed; empty when it went to the file of `--output`.
 * @throws {UsageError} for a file that is no report, and for wrong options.
 */
export function reportCommand(values: ReportValues, files: readonly string[]): string {
  const format = chosen("format", values.format ?? "terminal", FORMATS);
  if (values.by !== undefined && format !== COMPARING)
    throw new UsageError(`--by belongs to --format ${COMPARING}, and the format is ${format}`);
  if (files.length === 0) throw new UsageError("report needs a file that run --report wrote");
  if (files.length > 1 && format !== COMPARING)
    throw new UsageError(
      `--format ${format} takes one report, and there are ${files.length}; ${COMPARING} compares them`,
    );
  const text = renderReport(format, files.map(read), {
    colour: values.output === undefined && process.stdout.isTTY === true && !process.env.NO_COLOR,
    ...(values.by === undefined ? {} : { by: chosen("by", values.by, ["requirement", "area"]) }),
  });
  if (values.output === undefined) return text;
  try {
    writeWhole(values.output, text);
  } catch (error) {
    throw new UsageError(`--output ${values.output}: the report cannot be written: ${(error as Error).message}`);
  }
  return "";
}

function chosen<Name extends string>(option: string, name: string, names: readonly Name[]): Name {
  const known = names.find((candidate) => candidate === name);
  if (known === undefined) throw new UsageError(`--${option} ${name}: the choices are ${names.join(", ")}`);
  return known;
}

function read(file: string): ReturnType<typeof readReport> {
  try {
    return readReport(file);
  } catch (error) {
    if (error instanceof ReportFileError) throw new UsageError(error.message);
    throw error;
  }
}
