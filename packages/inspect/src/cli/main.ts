import { messageOf } from "@perdura/cli/argument_names.js";
import { exitCodeOfError } from "@perdura/cli/exit_codes.js";
import { type Complaint, type Program, runProgram } from "@perdura/cli/run_program.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { VERSION } from "../version.ts";
import { type Arguments, type Command, type OptionName, TABLE } from "./table.ts";

const PROGRAM: Program<Command, OptionName> = {
  table: TABLE,
  version: () => VERSION,
  load: {
    overview: async () => (await import("./overview.ts")).overview,
    "patterns list": async () => (await import("./patterns.ts")).listPatterns,
    "patterns show": async () => (await import("./patterns.ts")).showPattern,
    "patterns export": async () => (await import("./copy_patterns.ts")).copyPatterns,
    "patterns import": async () => (await import("./copy_patterns.ts")).copyPatterns,
    "metrics show": async () => (await import("./metrics.ts")).showMetrics,
    "metrics users": async () => (await import("./metrics.ts")).listUsersOf,
    "metrics user": async () => (await import("./user.ts")).showUser,
    "metrics trend": async () => (await import("./metrics.ts")).showTrend,
    "metrics breakdown": async () => (await import("./metrics.ts")).showBreakdown,
    "metrics export": async () => (await import("./metrics.ts")).exportMetrics,
    "state list": async () => (await import("./states.ts")).listStates,
    "state show": async () => (await import("./states.ts")).showState,
    serve: async () => (await import("./serve.ts")).serveData,
    watch: async () => (await import("./watch.ts")).watch,
    compare: async () => (await import("./compare.ts")).compare,
  },
  complaintOf,
};

/** Runs perdura-inspect with its arguments; returns the exit code. */
export function main(words: readonly string[]): Promise<number> {
  return runProgram(PROGRAM, words);
}

/** Converts an error of the libraries into a message of the command line; undefined for other errors. */
function complaintOf(error: unknown, given: Arguments | undefined): Complaint | undefined {
  if (!isPerduraError(error)) return undefined;
  return { text: messageOf(error, TABLE, given?.command), code: exitCodeOfError(error) };
}
