import { EXIT } from "@perdura/cli/exit_codes.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { verdictLine } from "../results/conclusion.ts";
import { type Format, renderReport } from "../report/formats.ts";
import { readReport, ReportFileError } from "../report/read_report.ts";
import { viewOf } from "../results/report_view.ts";
import { writeAtomically } from "../report/write_file.ts";
import { orUsage } from "./chosen.ts";
import type { Command, OptionName } from "./table.ts";

/** Converts files that `run --report` wrote into another report. */
export const report: Runner<Command, OptionName> = async (given, { colour }) => {
  const format = has(given, "json") ? "json" : ((valueOf(given, "format") ?? "terminal") as Format);
  const [output, by] = [valueOf(given, "output"), valueOf(given, "by") as "requirement" | "area" | undefined];
  const reports = given.words.map(read);
  const text = renderReport(format, reports, {
    colour: output === undefined && colour,
    ...(by === undefined ? {} : { by }),
  });
  const summary = reports.map((records) => verdictLine(viewOf(records))).join("\n");
  const document: unknown = format === "json" ? JSON.parse(text) : undefined;
  if (output === undefined) return { code: EXIT.done, summary, document, text: text, isLaidOut: true };
  orUsage("output", () => {
    try {
      writeAtomically(output, text);
    } catch (error) {
      throw new Error(`${output}: the report cannot be written: ${(error as Error).message}`, { cause: error });
    }
  });
  return { code: EXIT.done, summary, document, text: "", isLaidOut: true };
};

function read(file: string): ReturnType<typeof readReport> {
  try {
    return readReport(file);
  } catch (error) {
    if (error instanceof ReportFileError) throw new UsageError(`${error.message}.`, { cause: error });
    throw error;
  }
}
