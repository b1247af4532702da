import { buildProgram } from "../../../dev/tools/build_program.ts";

/** Builds the program that `support/program.ts` starts, once for all test files; returns a function that removes it. */
export function setup(): () => void {
  const { program, remove } = buildProgram("migrator", "perdura-migrate");
  process.env["PERDURA_MIGRATE"] = program;
  return remove;
}
