import type { Layout } from "../recognise/layout.ts";
import type { DatabaseReport } from "../core/report.ts";
import { isBefore16 } from "./choose_backup.ts";

function explanation(layout: Layout): string {
  if (layout.treatment === "unite") return "It has two metrics tables; run up, which unites their rows.";
  if (!isBefore16(layout)) return "Another file seems to have been put in its place.";
  return "Either it was brought back and the copy that down kept (.v16.bak) is gone, or a run is at work, or was killed before it changed anything, and rows were recorded since, or an old file was put in its place. Run up to migrate it.";
}

/** There is nothing to compare it with, or no reason to. */
export function notCompared(report: DatabaseReport, layout: Layout): void {
  report.status = layout.treatment === "leave" ? "left_alone" : "not_compared";
  report.reason =
    layout.treatment === "keep"
      ? "There is no backup to compare it with."
      : (layout.sentence ?? "It is not migrated yet.");
}

/** The backup was removed by hand: `prune` compares everything first, and its report tells what it removed. */
export function backupIsGone(report: DatabaseReport, backup: string): void {
  differs(
    report,
    `Its backup ${backup}, which the report of the migration names, is gone, so that nothing can be compared. Put it back.`,
  );
}

/** A run that was killed before it changed anything leaves its copy. */
export function notMigrated(report: DatabaseReport, copy: string): void {
  report.status = "not_compared";
  report.reason = `It is not migrated, and ${copy} is a copy of it as it is; up uses that as its backup.`;
}

export function differs(report: DatabaseReport, reason: string): void {
  report.status = "differs";
  report.reason = reason;
}

/** Its migration left a backup, and yet it is none of 16. */
export function notOf16(report: DatabaseReport, layout: Layout, backup: string): void {
  differs(
    report,
    `It is not in a layout of version 16, but there is a backup of its migration: ${backup}. ${explanation(layout)}`,
  );
}
