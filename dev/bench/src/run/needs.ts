import { hasProgram, type Program } from "../peers/programs.ts";
import { hasPostgres } from "../postgres/server_of_run.ts";

/** Without what a row cannot run: a program, or a server. */
export type Need = Program | "PostgreSQL";

/** Whether it is on this machine. */
export function isThere(need: Need): boolean {
  return need === "PostgreSQL" ? hasPostgres() : hasProgram(need);
}
