import { buildMigrator } from "../../../tools/build_migrator.ts";

/** Builds the program that `support/program.ts` starts, once for all test files; returns what removes it. */
export function setup(): () => void {
  const { program, remove } = buildMigrator();
  process.env["PERDURA_MIGRATE"] = program;
  return remove;
}
