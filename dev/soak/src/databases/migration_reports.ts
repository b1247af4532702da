import type { MigrationReport } from "@perdura/migrator";
import { STEERING } from "../../../../test/hostile/steering.ts";
import { faultsOfError } from "./own_error.ts";

/** Runs a migration: it must report instead of throwing, and its text must not control a terminal. */
export async function reportOf(
  what: string,
  path: string,
  wrong: string[],
  task: () => Promise<MigrationReport>,
): Promise<MigrationReport | undefined> {
  try {
    const report = await task();
    const text = report.databases.map(({ reason, notes }) => [reason, ...notes].join(" ")).join(" ");
    if (STEERING.test(text)) wrong.push(`${what}: unescaped control characters in the report: ${JSON.stringify(text)}`);
    // Errors that SQLite itself raises in the middle of the steps are failures. The rollback is checked elsewhere.
    const failed = report.databases.filter(({ status, steps }) => status === "failed" && steps.length === 0);
    if (failed.length > 0 && what !== "status") wrong.push(`${what} failed instead of refusing: ${reasonsOf(report)}`);
    return report;
  } catch (error) {
    wrong.push(...faultsOfError(what, error, path));
    return undefined;
  }
}

/** Reasons for what was not done, for a fault. */
export function reasonsOf(report: MigrationReport | undefined): string {
  return JSON.stringify(
    report?.databases.map(({ status, reason, verification }) => [status, reason, verification?.differences]),
  );
}
