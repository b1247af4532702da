import { EXIT } from "@perdura/cli/exit_codes.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import type { Result, Runner } from "@perdura/cli/run_program.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { changesBetween, isNoWorse } from "../results/changes.ts";
import { verdictLine } from "../results/conclusion.ts";
import { changesSummary, changesText } from "../report/changes_text.ts";
import { type Format, renderReport } from "../report/formats.ts";
import { readReport, ReportFileError } from "../report/read_report.ts";
import { type ReportView, viewOf } from "../results/report_view.ts";
import { writeAtomically } from "../report/write_file.ts";
import { orUsage } from "./chosen.ts";
import type { Arguments, Command, OptionName } from "./table.ts";

/** Converts files that `run --report` wrote into another report. */
export const report: Runner<Command, OptionName> = async (given, { colour }) => {
  if (has(given, "compare")) return compared(given);
  const format = has(given, "json") ? "json" : ((valueOf(given, "format") ?? "terminal") as Format);
  const [output, by] = [valueOf(given, "output"), valueOf(given, "by") as "requirement" | "area" | undefined];
  const reports = given.words.map(read);
  const text = renderReport(format, reports, {
    colour: output === undefined && colour,
    ...(by === undefined ? {} : { by }),
  });
  const summary = reports.map((records) => verdictLine(viewOf(records))).join("\n");
  const document: unknown = format === "json" ? JSON.parse(text) : undefined;
  return printedOrWritten(given, { code: EXIT.done, summary, document, text, isLaidOut: true });
};

/** The differences between two reports. */
function compared(given: Arguments): Result {
  const [earlier, later] = given.words.map((file) => viewOf(read(file))) as [ReportView, ReportView];
  const changes = changesBetween(earlier, later);
  return printedOrWritten(given, {
    code: isNoWorse(changes) ? EXIT.done : EXIT.difference,
    summary: changesSummary(earlier, later),
    document: changes,
    text: changesText(earlier, later),
    isLaidOut: true,
  });
}

/** The result, whose text is written to `--output` if it is given. */
function printedOrWritten(given: Arguments, result: Result): Result {
  const output = valueOf(given, "output");
  if (output === undefined) return result;
  orUsage("output", () => {
    try {
      writeAtomically(output, result.text);
    } catch (error) {
      throw new Error(`${output}: the report cannot be written: ${(error as Error).message}`, { cause: error });
    }
  });
  return { ...result, text: "" };
}

function read(file: string): ReturnType<typeof readReport> {
  try {
    return readReport(file);
  } catch (error) {
    if (error instanceof ReportFileError) throw new UsageError(`${error.message}.`, { cause: error });
    throw error;
  }
}
