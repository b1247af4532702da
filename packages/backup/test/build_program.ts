import { buildProgram } from "../../../tools/build_program.ts";

/** Builds the program that `cli/program.ts` starts, once for all test files; returns what removes it. */
export function setup(): () => void {
  const { program, remove } = buildProgram("backup", "perdura-backup");
  process.env["PERDURA_BACKUP"] = program;
  return remove;
}
