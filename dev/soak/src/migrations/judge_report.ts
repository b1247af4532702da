import { relative } from "node:path";
import type { ItemStatus, MigrationReport } from "../../../../packages/migrator/src/core/report.ts";
import type { DataState } from "./data_state.ts";
import type { Rehearsed } from "./rehearsal.ts";
import type { Ending } from "./disturbed_run.ts";

/** Statuses of items whose data were changed. */
const CHANGED: readonly ItemStatus[] = ["migrated", "downgraded", "restored", "pruned"];

/**
 * Compares the report of a run with its data.
 *
 * @param now The data that was found.
 * @param codes Allowed exit codes.
 * @returns False statements of the report, in words.
 */
export function judgeReport(
  { before, after }: Rehearsed,
  now: DataState,
  ending: Ending,
  codes: readonly unknown[],
): string[] {
  const { code, stdout, stderr } = ending;
  const report = parsed(stdout);
  if (report === undefined) return [`no report, only: ${stdout}${stderr}`];
  const home = report.targets[0] as string;
  const lies = report.databases.flatMap(({ path, status, reason }) => {
    const name = relative(home, path);
    const truth = CHANGED.includes(status) ? after : before;
    return status === "uncertain" || now.get(name) === truth.get(name)
      ? []
      : [`${name} is reported as ${status} (${reason}), but is not`];
  });
  const silent = [...report.databases, ...report.state_directories].filter(
    // oxlint-disable-next-line messages/no-decisions -- the words themselves are judged
    ({ status, reason }) => status === "failed" && !/\w{3,}.*\.$/s.test(reason ?? ""),
  );
  return [
    ...(codes.includes(code) && isEndOf(report, code) ? [] : [`ended with ${code}: ${stdout}${stderr}`]),
    ...lies,
    ...silent.map(({ path, reason }) => `${path} failed, and the only reason is ${reason}`),
  ];
}

/** An interruption after the last step changes only the exit code. */
function isEndOf(report: MigrationReport, code: unknown): boolean {
  return code === report.exit_code || (code === 130 && report.exit_code === 0);
}

function parsed(text: string): MigrationReport | undefined {
  try {
    return JSON.parse(text) as MigrationReport;
  } catch {
    return undefined;
  }
}
