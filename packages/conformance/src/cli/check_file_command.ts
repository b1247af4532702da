import { EXIT } from "@perdura/cli/exit_codes.js";
import { valueOf } from "@perdura/cli/option_table.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { loadRequirements } from "../corpus/requirements.ts";
import { UnfitFile, checkFile } from "../judge_file/check_file.ts";
import type { FileReport, JudgedAs, Line } from "../judge_file/file_report.ts";
import { fileReportText } from "../judge_file/file_report_text.ts";
import type { Command, OptionName } from "./table.ts";

/** Judges files and prints each finding with its place. Nothing is printed before all files are judged. */
export const checkFiles: Runner<Command, OptionName> = async (given, { colour }) => {
  const [line, as] = [valueOf(given, "line"), valueOf(given, "as")];
  const options = {
    ...(line === undefined ? {} : { line: line as Line }),
    ...(as === undefined ? {} : { as: as as JudgedAs }),
  };
  const reports = given.words.map((file) => judged(file, options));
  const bad = reports.filter(({ conforms }) => !conforms).length;
  const requirements = loadRequirements();
  return {
    code: bad === 0 ? EXIT.done : EXIT.difference,
    summary: `${reports.length - bad} of ${reports.length} ${reports.length === 1 ? "file conforms" : "files conform"}.`,
    document: reports,
    isJsonLines: true,
    text: reports.map((report) => fileReportText(report, requirements, { colour })).join("\n"),
    isLaidOut: true,
  };
};

function judged(file: string, options: { line?: Line; as?: JudgedAs }): FileReport {
  try {
    return checkFile(file, options);
  } catch (error) {
    if (error instanceof UnfitFile) throw new UsageError(`${error.message}.`, { cause: error });
    throw error;
  }
}
