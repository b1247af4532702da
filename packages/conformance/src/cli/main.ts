import { EXIT } from "@perdura/cli/exit_codes.js";
import { type Program, runProgram } from "@perdura/cli/run_program.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { suiteVersion } from "../package_root.ts";
import { LineMismatch, MistypedChoice, UnknownSelection } from "../runner/suite_options.ts";
import { type Command, type OptionName, TABLE } from "./table.ts";

const PROGRAM: Program<Command, OptionName> = {
  table: TABLE,
  version: suiteVersion,
  load: {
    run: async () => (await import("./run_command.ts")).run,
    "check-file": async () => (await import("./check_file_command.ts")).checkFiles,
    smoke: async () => (await import("./smoke_command.ts")).smoke,
    matrix: async () => (await import("./matrix_command.ts")).matrix,
    explain: async () => (await import("./catalogue_commands.ts")).explain,
    requirements: async () => (await import("./catalogue_commands.ts")).requirements,
    cases: async () => (await import("./catalogue_commands.ts")).cases,
    report: async () => (await import("./report_command.ts")).report,
    export: async () => (await import("./export_command.ts")).exportAll,
  },
  stopping: (command) =>
    command === "run"
      ? "Ending the running case and writing the reports. Press Ctrl-C again to end at once."
      : undefined,
  complaintOf: (error) => {
    if (error instanceof LineMismatch || error instanceof UnknownSelection || error instanceof MistypedChoice)
      return { text: `${error.message} See perdura-conformance --help.`, code: EXIT.usage };
    // No stack: the judged program may be at fault, and its own error text is part of the message.
    if (error instanceof UsageError || !(error instanceof Error)) return undefined;
    return { text: error.message, code: EXIT.failed };
  },
};

/** Runs perdura-conformance with its arguments; returns the exit code. */
export function main(words: readonly string[]): Promise<number> {
  return runProgram(PROGRAM, words);
}
