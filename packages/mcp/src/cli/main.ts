import { messageOf } from "@perdura/cli/argument_names.js";
import { exitCodeOfError } from "@perdura/cli/exit_codes.js";
import { type Complaint, type Program, runProgram } from "@perdura/cli/run_program.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { VERSION } from "../version.ts";
import { type Arguments, type Command, type OptionName, TABLE } from "./table.ts";

const PROGRAM: Program<Command, OptionName> = {
  table: TABLE,
  version: () => VERSION,
  load: { serve: async () => (await import("./serve.ts")).serve },
  complaintOf,
};

/** Runs perdura-mcp with its arguments; returns the exit code. */
export function main(words: readonly string[]): Promise<number> {
  return runProgram(PROGRAM, words);
}

/** Converts an error of the libraries into a message of the command line; undefined for other errors. */
function complaintOf(error: unknown, given: Arguments | undefined): Complaint | undefined {
  if (!isPerduraError(error)) return undefined;
  return { text: messageOf(error, TABLE, given?.command), code: exitCodeOfError(error) };
}
