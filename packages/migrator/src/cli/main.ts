import { messageOf } from "@perdura/cli/argument_names.js";
import { EXIT, exitCodeOfError } from "@perdura/cli/exit_codes.js";
import { type Complaint, type Program, runProgram } from "@perdura/cli/run_program.js";
import { Interrupted } from "@perdura/cli/usage_error.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { Stop } from "../core/stop.ts";
import { VERSION } from "../core/version.ts";
import { type Arguments, type Command, type OptionName, TABLE } from "./table.ts";

const PROGRAM: Program<Command, OptionName> = {
  table: TABLE,
  version: () => VERSION,
  load: {
    plan: async () => (await import("./data_commands.ts")).plan,
    up: async () => (await import("./data_commands.ts")).up,
    verify: async () => (await import("./data_commands.ts")).verify,
    status: async () => (await import("./data_commands.ts")).status,
    down: async () => (await import("./data_commands.ts")).down,
    prune: async () => (await import("./data_commands.ts")).prune,
    states: async () => (await import("./states_command.ts")).states,
    copy: async () => (await import("./copy_command.ts")).copy,
    sums: async () => (await import("./maintenance_commands.ts")).sums,
    forget: async () => (await import("./maintenance_commands.ts")).forget,
    compact: async () => (await import("./maintenance_commands.ts")).compact,
  },
  stopping: () =>
    "Stopping and rolling back the work in progress. Press Ctrl-C again to exit at once; no data is damaged.",
  complaintOf,
};

/** Runs perdura-migrate with its command line arguments; returns the exit code. */
export function main(words: readonly string[]): Promise<number> {
  return runProgram(PROGRAM, words);
}

/** Rewords an error of the API for the command line; the kit reports all other errors. */
function complaintOf(error: unknown, given: Arguments | undefined): Complaint | undefined {
  if (error instanceof Interrupted) return { text: "Interrupted. Nothing was changed.", code: EXIT.interrupted };
  if (error instanceof Stop && error.status === "interrupted") return { text: error.message, code: EXIT.interrupted };
  if (!isPerduraError(error)) return undefined;
  return { text: messageOf(error, TABLE, given?.command), code: exitCodeOfError(error) };
}
