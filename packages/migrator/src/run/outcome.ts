import type { ItemStatus, MigrationReport } from "../report/report.ts";

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
  const count = (wanted: ItemStatus): number =>
    statuses.filter((status) => status === wanted).length + (wanted === "refused" ? report.refused.length : 0);
  report.exit_code = CODES.find(([status]) => count(status) > 0)?.[1] ?? 0;
  report.summary = SUMMARIES[report.command](count, statuses.length);
}

type Count = (status: ItemStatus) => number;

function counted(parts: readonly (readonly [number, string])[]): string {
  return parts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`])).join(", ");
}

const troubles = (count: Count): readonly (readonly [number, string])[] => [
  [count("refused"), "needing a decision"],
  [count("in_use"), "in use"],
  [count("failed"), "failed"],
  [count("uncertain"), "uncertain"],
  [count("interrupted"), "interrupted"],
];

const SUMMARIES: Record<MigrationReport["command"], (count: Count, items: number) => string> = {
  plan: (count, items) => {
    if (items === 0 && count("refused") === 0) return "Found no database and no state directory.";
    const found = counted([
      [count("planned"), "to migrate or archive"],
      [count("nothing_to_do"), "with nothing to do"],
      [count("left_alone"), "left alone"],
      ...troubles(count),
    ]);
    return `Nothing was changed. Found ${found}.`;
  },
  up: (count, items) => {
    if (items === 0 && count("refused") === 0) return "Found no database and no state directory. Nothing was changed.";
    const changed = count("migrated") + count("archived");
    const done = counted([
      [count("migrated"), "migrated"],
      [count("archived"), "archived"],
      ...troubles(count),
      [count("not_started"), "not started"],
    ]);
    if (count("uncertain") > 0) return `Done: ${done}. Look at what is uncertain with plan.`;
    if (changed === 0) return done === "" ? "Nothing to do; nothing was changed." : `Nothing was changed: ${done}.`;
    return `Done: ${done}.`;
  },
  verify: (count, items) => {
    if (items === 0 && count("refused") === 0) return "Found no database and no state directory.";
    const done = counted([
      [count("verified"), "verified"],
      [count("differs"), "differing"],
      [count("not_compared"), "with nothing to compare with"],
      ...troubles(count),
    ]);
    return `Compared: ${done}.`;
  },
};
