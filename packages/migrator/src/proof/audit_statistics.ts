import { auditRollup } from "@perdura/internals/metrics/rollup/audit.js";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { DatabaseReport } from "../report/report.ts";
import { countText } from "@perdura/cli/quantities.js";

/**
 * Compares the sums from which perdura answers statistics with the rows; a note tells that they agree. They repeat what
 * the rows say, so a difference loses nothing, but answers would be wrong.
 */
export function auditStatistics(database: Database, report: DatabaseReport): void {
  const columns = database.prepare("SELECT name FROM pragma_table_info('interactions', 'main')").pluck().all();
  const levelColumn = (["level", "empathy_level"] satisfies LevelColumn[]).find((name) => columns.includes(name));
  const audit = levelColumn === undefined ? undefined : auditRollup(database, levelColumn);
  if (audit === undefined) return;
  const { users, differences } = audit;
  if (differences.length === 0) {
    report.notes.push(`the sums that statistics come from are those of the rows, for ${countText(users, "user")}`);
    return;
  }
  const told = `${differences.join("; ")}. DROP TABLE perdura_rollup lets perdura make the sums anew`;
  if (report.verification === null) report.reason = `Sums that statistics come from are wrong: ${told}.`;
  else report.verification.differences.push(told);
  report.status = "differs";
}
