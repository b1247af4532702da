import { hasLibsql } from "../peers/libsql.ts";
import { hasProgram, type Program } from "../peers/programs.ts";
import { hasCitus, hasPostgres } from "../postgres/server_of_run.ts";

/** Requirement of a row: a program, a package, or a server. */
export type Need = Program | "libsql" | "PostgreSQL" | "Citus";

/** True if this machine has it. */
export function isThere(need: Need): boolean {
  if (need === "Citus") return hasCitus() && hasPostgres();
  if (need === "libsql") return hasLibsql();
  return need === "PostgreSQL" ? hasPostgres() : hasProgram(need);
}
