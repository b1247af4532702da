import { basename } from "node:path";
import { EXIT } from "@perdura/cli/exit_codes.js";
import type { ItemStatus, MigrationReport } from "../core/report.ts";
import { ownKind } from "../io/own_files.ts";

/**
 * Exit codes of statuses; of several statuses, the first one in this order decides. All others mean {@link EXIT.done}.
 */
interface Codes {
  interrupted: typeof EXIT.interrupted;
  failed: typeof EXIT.failed;
  uncertain: typeof EXIT.failed;
  in_use: typeof EXIT.busy;
  differs: typeof EXIT.difference;
  refused: typeof EXIT.decision;
}

const CODES: Codes = {
  interrupted: EXIT.interrupted,
  failed: EXIT.failed,
  uncertain: EXIT.failed,
  in_use: EXIT.busy,
  differs: EXIT.difference,
  refused: EXIT.decision,
};

type CodeOf<Status> = Status extends keyof Codes ? Codes[Status] : typeof EXIT.done;

/** The exit code of work on items with these statuses; an unfinished report has no statuses yet. */
export function exitCodeOf<Status extends string = never>(
  statuses: readonly Status[],
): CodeOf<Status> | typeof EXIT.done {
  const among: readonly string[] = statuses;
  const deciding = (Object.keys(CODES) as (keyof Codes)[]).find((status) => among.includes(status));
  return (deciding === undefined ? EXIT.done : CODES[deciding]) as CodeOf<Status> | typeof EXIT.done;
}

/** Number of items with a status. */
type Count = (status: ItemStatus) => number;

/** Sets exit code and summary from the statuses of the items. */
export function conclude(report: MigrationReport): void {
  const items = [...report.databases, ...report.state_directories];
  const among = (wanted: ItemStatus): number => items.filter(({ status }) => status === wanted).length;
  const count: Count = (wanted) => among(wanted) + (wanted === "refused" ? report.refused.length : 0);
  report.exit_code = exitCodeOf(report.command === "status" ? faultsOf(report) : statusesOf(report));
  report.summary = summaryOf(report, count);
  if (report.command === "verify" && report.exit_code === EXIT.done && count("verified") === 0)
    report.exit_code = EXIT.failed;
}

const statusesOf = ({ databases, state_directories: directories, refused }: MigrationReport): ItemStatus[] => [
  ...[...databases, ...directories].map(({ status }) => status),
  ...refused.map(() => "refused" as const),
];

/** `status` only reports: a pending decision is not a failure, an unreadable item is. */
const faultsOf = (report: MigrationReport): ItemStatus[] =>
  statusesOf({
    ...report,
    databases: report.databases.filter(({ status, layout }) => status !== "refused" || layout === null),
    state_directories: report.state_directories.filter(({ status }) => status !== "refused"),
  });

/** Concludes a run that was interrupted. */
export function concludeInterrupted(report: MigrationReport): void {
  const isMigrated = report.databases.some(({ status }) => status === "migrated");
  if (isMigrated) conclude(report);
  report.exit_code = EXIT.interrupted;
  report.summary = isMigrated
    ? `${report.summary} Interrupted while sums for statistics were computed: perdura-migrate sums continues.`
    : "Interrupted. The work in progress was rolled back.";
}

/** Notes files that could not be removed at the end. */
export function concludeRemovals(report: MigrationReport, notRemoved: readonly string[]): void {
  report.notes.push(...notRemoved);
  // Removal is the purpose of this command.
  if (report.command === "prune" && notRemoved.length > 0 && report.exit_code === EXIT.done)
    report.exit_code = EXIT.failed;
}

/** Summary of a report whose items are complete. */
function summaryOf(report: MigrationReport, count: Count): string {
  const items = report.databases.length + report.state_directories.length;
  if (items === 0 && count("refused") === 0 && FINDS.includes(report.command))
    return `Found ${onlyBackups(report) ? "only backups or archives of perdura-migrate" : "no database and no state directory"}.${report.command === "up" ? " Nothing was changed." : ""}`;
  return SUMMARIES[report.command](count, report);
}

function onlyBackups({ targets }: MigrationReport): boolean {
  return targets.every((target) => ["backup", "archive"].includes(ownKind(basename(target)) ?? ""));
}

const FINDS: readonly MigrationReport["command"][] = ["plan", "up", "status"];

const SUMMARIES: Record<MigrationReport["command"], (count: Count, report: MigrationReport) => string> = {
  plan: (count) => `Nothing was changed. Found ${found(count)}.`,
  status: (count) => `Found ${found(count)}.`,
  up: (count, { rehearsal }) => {
    const done = counted(
      [count("migrated"), "migrated"],
      [count("archived"), "archived"],
      [count("rehearsed"), "rehearsed"],
      ...troubles(count),
      [count("not_started"), "not started"],
    );
    if (rehearsal && count("rehearsed") > 0) return `On private copies: ${done}. No data was changed.`;
    if (count("uncertain") > 0) return `Done: ${done}. Run plan to check what is uncertain.`;
    if (count("migrated") + count("archived") > 0) return `Done: ${done}.`;
    return done === "" ? "Nothing to do; nothing was changed." : `Nothing was changed: ${done}.`;
  },
  down: (count, { dry_run: dry, state_directories: directories }) => {
    const done = counted(
      [count("planned"), "to downgrade or restore"],
      [count("downgraded"), "downgraded"],
      [count("restored"), "restored"],
      ...troubles(count),
      [count("not_started"), "not started"],
    );
    if (count("downgraded") + count("restored") > 0) return `Done: ${done}.`;
    if (!dry && directories.some(({ restored }) => restored > 0)) return `Partly restored: ${done}.`;
    if (done === "") return "Nothing to downgrade or restore; nothing was changed.";
    return dry ? `Nothing was changed. Found ${done}.` : `Nothing was changed: ${done}.`;
  },
  prune: (count, { dry_run: dry, databases, state_directories: directories }) => {
    const done = counted([count("planned"), "to prune"], [count("pruned"), "pruned"], ...troubles(count), [
      count("not_started"),
      "not started",
    ]);
    if (count("pruned") > 0) return `Done: ${done}.`;
    const isBegun =
      databases.some(({ removed }) => removed.length > 0) || directories.some(({ removed }) => removed > 0);
    if (!dry && isBegun) return `Partly removed: ${done}.`;
    if (done === "") return "Nothing to remove; nothing was changed.";
    return dry ? `Nothing was removed. Found ${done}.` : `Nothing was removed: ${done}.`;
  },
  verify: (count, { exit_code: code, targets }) => {
    const compared = counted(
      [count("verified"), "verified"],
      [count("differs"), "different"],
      [count("not_compared"), "not compared"],
      [count("left_alone"), "left alone"],
      ...troubles(count),
    );
    if (code !== EXIT.done || count("verified") > 0) return `Compared: ${compared}.`;
    return `Found nothing to compare in ${targets.join(", ")}${compared === "" ? "" : `: ${compared}`}.`;
  },
};

const found = (count: Count): string =>
  counted(
    [count("planned"), "to migrate or archive"],
    [count("migrated"), "migrated"],
    [count("nothing_to_do"), "with nothing to do"],
    [count("left_alone"), "left alone"],
    ...troubles(count),
  );

const troubles = (count: Count): readonly (readonly [number, string])[] => [
  [count("refused"), "needing a decision"],
  [count("in_use"), "in use"],
  [count("failed"), "failed"],
  [count("uncertain"), "uncertain"],
  [count("interrupted"), "interrupted"],
];

function counted(...parts: readonly (readonly [number, string])[]): string {
  return parts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`])).join(", ");
}

/** Statuses that keep a command from starting, or from continuing with the next item. */
export const TROUBLES: readonly ItemStatus[] = ["refused", "in_use", "failed", "uncertain", "interrupted"];
