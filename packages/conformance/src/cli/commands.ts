import type { ParseArgsOptionsConfig } from "node:util";
import { casesCommand, explainCommand, requirementsCommand } from "./catalogue_commands.ts";
import { CHECK_FILE_OPTIONS, checkFileCommand } from "./check_file_command.ts";
import type { CheckFileValues } from "./check_file_command.ts";
import { EXPORT_OPTIONS, exportCommand } from "./export_command.ts";
import { MATRIX_OPTIONS, matrixCommand } from "./matrix_command.ts";
import type { MatrixValues } from "./matrix_command.ts";
import { REPORT_OPTIONS, reportCommand } from "./report_command.ts";
import type { ReportValues } from "./report_command.ts";
import { RUN_OPTIONS, runCommand } from "./run_command.ts";
import type { RunValues } from "./run_command.ts";
import { SELFTEST_OPTIONS, selftestCommand } from "./selftest_command.ts";
import type { SelftestValues } from "./selftest_command.ts";

/** One command: the options that it takes, how many words follow it, and what it does. */
interface Command {
  options: ParseArgsOptionsConfig;
  /** Least and greatest number of words. */
  words: readonly [number, number];
  /** What the words are, for a complaint. */
  takes: string;
  /** @returns the exit code. */
  run: (values: never, words: string[]) => number | Promise<number>;
}

/** Every command by its name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  run: { options: RUN_OPTIONS, words: [0, 0], takes: "options only", run: (values: RunValues) => runCommand(values) },
  "check-file": {
    options: CHECK_FILE_OPTIONS,
    words: [1, Infinity],
    takes: "the files to judge",
    run: (values: CheckFileValues, files) => checkFileCommand(values, files),
  },
  matrix: {
    options: MATRIX_OPTIONS,
    words: [0, 0],
    takes: "options only",
    run: (values: MatrixValues) => matrixCommand(values),
  },
  report: {
    options: REPORT_OPTIONS,
    words: [1, Infinity],
    takes: "the files that run --report wrote",
    run: (values: ReportValues, files) => print(reportCommand(values, files)),
  },
  export: {
    options: EXPORT_OPTIONS,
    words: [1, 1],
    takes: "one new directory",
    run: (values: { line?: string }, [directory = ""]) => exportCommand(values.line, directory),
  },
  selftest: {
    options: SELFTEST_OPTIONS,
    words: [0, 0],
    takes: "options only",
    run: (values: SelftestValues) => selftestCommand(values),
  },
  requirements: {
    options: { uncovered: { type: "boolean" }, json: { type: "boolean" } },
    words: [0, 0],
    takes: "options only",
    run: (values: { uncovered?: boolean; json?: boolean }) => print(requirementsCommand(values)),
  },
  explain: {
    options: {},
    words: [1, 1],
    takes: "one id of a requirement or a case",
    run: (_: never, [id = ""]) => print(explainCommand(id)),
  },
  cases: {
    options: { json: { type: "boolean" } },
    words: [0, 0],
    takes: "options only",
    run: (values: { json?: boolean }) => print(casesCommand(values)),
  },
};

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
