import { nameOf, textOf } from "@perdura/cli/names.js";
import { sizeText } from "@perdura/cli/quantities.js";
import type { Paint } from "@perdura/cli/terminal.js";
import type { ItemStatus, MigrationReport } from "../core/report.ts";

const STATUS: Record<ItemStatus, string> = {
  planned: "to do",
  migrated: "migrated",
  archived: "archived",
  nothing_to_do: "nothing to do",
  rehearsed: "rehearsed",
  reverted: "brought back",
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
};

const BAD: ReadonlySet<ItemStatus> = new Set([
  "refused",
  "in_use",
  "failed",
  "interrupted",
  "differs",
  "uncertain",
  "not_started",
]);

/** What an item is, how big it is, and how it went with it. */
export function heading(path: string, bytes: number, status: ItemStatus, paint: Paint): string {
  return `${paint.bold(nameOf(path))}  ${sizeText(bytes)}  ${(BAD.has(status) ? paint.bad : paint.good)(`[${STATUS[status]}]`)}`;
}

/** Why it went so, where there is a reason. */
export function reasonLines(text: string | null, status: ItemStatus, paint: Paint): string[] {
  return text === null ? [] : [`  ${(BAD.has(status) ? paint.bad : String)(textOf(text))}`];
}

/** True where a report tells of what would be done, and not of what was. */
export function isForecast({ command, dry_run: dry }: Pick<MigrationReport, "command" | "dry_run">): boolean {
  return dry && command !== "verify" && command !== "status";
}
