import { shownPath, shownText } from "@perdura/cli/shown_paths.js";
import { countText, sizeText } from "@perdura/cli/quantities.js";
import type { Paint } from "@perdura/cli/terminal.js";
import type { MaintenanceStatus } from "../../core/maintenance_report.ts";
import type { FileLeftAlone, ItemStatus, MigrationReport } from "../../core/report.ts";

const STATUS: Record<ItemStatus | MaintenanceStatus, string> = {
  planned: "to do",
  migrated: "migrated",
  archived: "archived",
  nothing_to_do: "nothing to do",
  rehearsed: "rehearsed",
  downgraded: "downgraded",
  restored: "restored",
  pruned: "pruned",
  left_alone: "left alone",
  refused: "needs a decision",
  in_use: "in use",
  failed: "failed",
  interrupted: "interrupted",
  not_started: "not started",
  verified: "verified",
  differs: "differs",
  uncertain: "uncertain",
  not_compared: "not compared",
  done: "done",
};

const BAD: ReadonlySet<ItemStatus | MaintenanceStatus> = new Set([
  "refused",
  "in_use",
  "failed",
  "interrupted",
  "differs",
  "uncertain",
  "not_started",
]);

/** Path, size if known, and status of an item. */
export function heading(
  path: string,
  bytes: number | null,
  status: ItemStatus | MaintenanceStatus,
  paint: Paint,
): string {
  return `${paint.bold(shownPath(path))}  ${bytes === null ? "" : `${sizeText(bytes)}  `}${(BAD.has(status) ? paint.bad : paint.good)(`[${STATUS[status]}]`)}`;
}

/** The reason of a status, if there is one. */
export function reasonLines(text: string | null, status: ItemStatus | MaintenanceStatus, paint: Paint): string[] {
  return text === null ? [] : [`  ${(BAD.has(status) ? paint.bad : String)(shownText(text))}`];
}

/** True if a report describes planned work, not finished work. */
export function isForecast({ command, dry_run: dry }: Pick<MigrationReport, "command" | "dry_run">): boolean {
  return dry && command !== "verify" && command !== "status";
}

interface PathWithReason {
  path: string;
  reason: string;
}

/** Paths with their reasons, under a title. */
export function showPaths(title: string, items: readonly PathWithReason[], paint: Paint): string[] {
  return items.length === 0
    ? []
    : [paint.bold(title), ...atMost(items.map(({ path, reason }) => `  ${shownPath(path)}: ${shownText(reason)}`))];
}

/** Files that are left alone; those of perdura-migrate itself in one line, because they are of little interest here. */
export function showLeftAlone(items: readonly FileLeftAlone[], paint: Paint): string[] {
  const others = items.filter(({ made }) => made === undefined);
  const own = items.length - others.length;
  return [
    ...showPaths("left alone", others, paint),
    ...(own === 0
      ? []
      : [
          `${others.length === 0 ? "left alone: " : "  and "}${countText(own, "file")} of perdura-migrate (backups, archives, reports)`,
        ]),
  ];
}

/** Maximum number of lines of one kind. */
const LISTED = 10;

/** The first lines, and the number of the others. */
export function atMost(lines: readonly string[]): string[] {
  const rest = lines.length - LISTED;
  return rest > 0 ? [...lines.slice(0, LISTED), `  and ${rest} more (see --json)`] : [...lines];
}
