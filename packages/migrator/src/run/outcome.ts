import type { ItemStatus, MigrationReport } from "../core/report.ts";
import { type Count, summaryOf } from "./summaries.ts";

type ExitCode = MigrationReport["exit_code"];

/** Which exit code a status asks for; the first of these that occurs decides. */
const CODES: readonly (readonly [ItemStatus, ExitCode])[] = [
  ["interrupted", 130],
  ["failed", 1],
  ["uncertain", 1],
  ["in_use", 5],
  ["differs", 4],
  ["refused", 3],
];

/** Sets exit code and summary from what happened to the items. */
export function conclude(report: MigrationReport): void {
  const statuses = [...report.databases, ...report.state_directories].map(({ status }) => status);
  const among = (wanted: ItemStatus): number => statuses.filter((status) => status === wanted).length;
  const count: Count = (wanted) => among(wanted) + (wanted === "refused" ? report.refused.length : 0);
  const unread = report.databases.filter(({ status, layout }) => status === "refused" && layout === null).length;
  // `status` only tells: what is waiting for a decision is no fault, what could not be looked at is.
  const faults: Count = (wanted) =>
    report.command === "status" && wanted === "refused" ? report.refused.length + unread : count(wanted);
  report.exit_code = CODES.find(([status]) => faults(status) > 0)?.[1] ?? 0;
  report.summary = summaryOf(report, count);
}
