import { type Program, runProgram } from "@perdura/cli/run_program.js";
import { VERSION } from "../version.ts";
import { complaintOf, LEFT } from "./complaint.ts";
import { type Command, type OptionName, TABLE } from "./table.ts";

const PROGRAM: Program<Command, OptionName> = {
  table: TABLE,
  version: () => VERSION,
  load: {
    push: async () => (await import("./push_command.ts")).push,
    list: async () => (await import("./list_command.ts")).list,
    pull: async () => (await import("./pull_command.ts")).pull,
    verify: async () => (await import("./verify_command.ts")).verify,
    prune: async () => (await import("./prune_command.ts")).prune,
  },
  stopping: (command) =>
    `Stopping. ${LEFT[command === "pull" ? "pull" : "other"].stopping} Press Ctrl-C again to exit at once; stored versions stay intact.`,
  complaintOf,
};

/** Runs perdura-backup with its arguments; returns the exit code. */
export function main(words: readonly string[]): Promise<number> {
  return runProgram(PROGRAM, words);
}
