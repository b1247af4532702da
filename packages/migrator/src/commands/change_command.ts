import type { Discovery } from "../core/discovery.ts";
import type { AnyOptions } from "../core/options.ts";
import type { DatabaseReport, ItemStatus, MigrationReport, StateDirectoryReport } from "../core/report.ts";
import { conclude, TROUBLES } from "./outcome.ts";
import { runCommand } from "./run_command.ts";
import { trySaveReport } from "./save_report.ts";
import type { Session } from "./session.ts";
import { tidy } from "./tidy.ts";

/** Gets the plan before the first change, and throws to cancel it. Null: no confirmation. */
export type Confirm = ((plan: MigrationReport) => Promise<void>) | null;

type Part = (run: Session, discovery: Discovery, report: MigrationReport) => Promise<void>;

/** The parts of a command that changes data. */
interface Change {
  /** Fills the report with all items. Only reads. */
  plan: Part;
  /** Adds what only a plan that is shown needs. */
  complete?: Part;
  /** Changes the planned items one by one, and stops at the first failure. */
  change: Part;
  /** Work after the changes, which are recorded in the saved report. */
  finish?: Part;
}

/**
 * Runs a command that changes data: removes the remains of killed runs, plans everything, has the plan confirmed, and
 * changes the items. Nothing is changed if an item needs a decision or is in use. Nothing is inspected twice, unless it
 * changed since.
 */
export function runChange(
  command: "up" | "down" | "prune",
  targets: string | readonly string[],
  options: AnyOptions | undefined,
  confirm: Confirm,
  { plan, complete, change, finish }: Change,
): Promise<MigrationReport> {
  return runCommand(command, targets, options, async (run, discovery, report) => {
    const { dryRun, saveReport, signal } = run.settings;
    // Directories that a killed run had renamed may have their names again.
    if (!dryRun) discovery.stateDirectories.push(...(await tidy(discovery, run)));
    await plan(run, discovery, report);
    if (dryRun) return;
    const items = [...report.databases, ...report.state_directories];
    const isFree = report.refused.length === 0 && !items.some(({ status }) => TROUBLES.includes(status));
    if (isFree && items.some(isPlanned)) {
      if (confirm !== null) {
        await complete?.(run, discovery, report);
        const shown: MigrationReport = { ...report, command: command === "up" ? "plan" : command, dry_run: true };
        conclude(shown);
        await confirm(shown);
      }
      await change(run, discovery, report);
    }
    if (signal?.aborted !== true) await complete?.(run, discovery, report);
    for (const item of items.filter(isPlanned)) {
      item.status = "not_started";
      if ("restored" in item) Object.assign(item, { restored: 0, removed: 0 });
      else item.removed = [];
    }
    if (saveReport && items.some(isChanged)) {
      conclude(report);
      trySaveReport(report, discovery.home);
    }
    if (signal?.aborted !== true) await finish?.(run, discovery, report);
  });
}

export function isPlanned({ status }: { status: ItemStatus }): boolean {
  return status === "planned";
}

const CHANGED: readonly ItemStatus[] = ["migrated", "archived", "downgraded", "restored", "pruned"];

/** Also true for a restoration or a removal that failed in the middle. */
function isChanged(item: DatabaseReport | StateDirectoryReport): boolean {
  if (CHANGED.includes(item.status)) return true;
  return "restored" in item ? item.restored + item.removed > 0 : item.removed.length > 0;
}
