import { hasProgram, type Program } from "../peers/programs.ts";
import { hasPostgres } from "../postgres/server_of_run.ts";

/** Requirement of a row: a program, or a server. */
export type Need = Program | "PostgreSQL";

/** True if this machine has it. */
export function isThere(need: Need): boolean {
  return need === "PostgreSQL" ? hasPostgres() : hasProgram(need);
}
