import { hasLibsql } from "../peers/libsql.ts";
import { hasProgram } from "../peers/programs.ts";
import { hasCitus, hasPostgres } from "../postgres/server_of_run.ts";
import type { Need } from "../row.ts";

/** True if this machine has it. */
export function isThere(need: Need): boolean {
  if (need === "Citus") return hasCitus() && hasPostgres();
  if (need === "libsql") return hasLibsql();
  return need === "PostgreSQL" ? hasPostgres() : hasProgram(need);
}
