import type { ItemStatus, MigrationReport } from "../core/report.ts";

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

/** How many items have a status. */
type Count = (status: ItemStatus) => number;

/** One sentence on a report whose items are known. */
function summaryOf(report: MigrationReport, count: Count): string {
  const items = report.databases.length + report.state_directories.length;
  if (items === 0 && count("refused") === 0 && FINDS.includes(report.command))
    return `Found no database and no state directory.${report.command === "up" ? " Nothing was changed." : ""}`;
  return SUMMARIES[report.command](count, report);
}

const FINDS: readonly MigrationReport["command"][] = ["plan", "up", "status", "verify"];

function counted(...parts: readonly (readonly [number, string])[]): string {
  return parts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`])).join(", ");
}

const troubles = (count: Count): readonly (readonly [number, string])[] => [
  [count("refused"), "needing a decision"],
  [count("in_use"), "in use"],
  [count("failed"), "failed"],
  [count("uncertain"), "uncertain"],
  [count("interrupted"), "interrupted"],
];

const found = (count: Count): string =>
  counted(
    [count("planned"), "to migrate or archive"],
    [count("nothing_to_do"), "with nothing to do"],
    [count("left_alone"), "left alone"],
    ...troubles(count),
  );

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
    if (rehearsal && count("rehearsed") > 0) return `On private copies: ${done}. The data is untouched.`;
    if (count("uncertain") > 0) return `Done: ${done}. Look at what is uncertain with plan.`;
    if (count("migrated") + count("archived") > 0) return `Done: ${done}.`;
    return done === "" ? "Nothing to do; nothing was changed." : `Nothing was changed: ${done}.`;
  },
  down: (count, { dry_run: dry, state_directories: directories }) => {
    const done = counted(
      [count("planned"), "to bring back"],
      [count("reverted"), "brought back"],
      [count("restored"), "restored"],
      ...troubles(count),
      [count("not_started"), "not started"],
    );
    if (count("reverted") + count("restored") > 0) return `Done: ${done}.`;
    if (!dry && directories.some(({ restored }) => restored > 0)) return `Restored in part: ${done}.`;
    if (done === "") return "Nothing to bring back; nothing was changed.";
    return dry ? `Nothing was changed. Found ${done}.` : `Nothing was changed: ${done}.`;
  },
  prune: (count, { dry_run: dry, state_directories: directories }) => {
    const done = counted([count("planned"), "to prune"], [count("pruned"), "pruned"], ...troubles(count), [
      count("not_started"),
      "not started",
    ]);
    if (count("pruned") > 0) return `Done: ${done}.`;
    if (!dry && directories.some(({ removed }) => removed > 0)) return `Removed in part: ${done}.`;
    if (done === "") return "Nothing to remove; nothing was changed.";
    return dry ? `Nothing was removed. Found ${done}.` : `Nothing was removed: ${done}.`;
  },
  verify: (count) =>
    `Compared: ${counted(
      [count("verified"), "verified"],
      [count("differs"), "differing"],
      [count("not_compared"), "with nothing to compare with"],
      [count("left_alone"), "left alone"],
      ...troubles(count),
    )}.`,
};

/** What keeps a command from beginning, or from going on to the next item. */
export const TROUBLES: readonly ItemStatus[] = ["refused", "in_use", "failed", "uncertain", "interrupted"];
