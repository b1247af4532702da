import { countUsage, usageDeletionSteps } from "@perdura/internals/patterns/sqlite_usage_deletion.js";
import type { UsageToDelete } from "@perdura/internals/patterns/usage_deletion.js";
import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { watchWriters } from "@perdura/internals/sqlite/pauses.js";
import { PlacedFile } from "@perdura/internals/sqlite/placed_file.js";
import type { MaintainedDatabase } from "../../core/maintenance_report.ts";
import type { HasSettings } from "../../core/options.ts";
import type { Progress } from "../../core/progress.ts";
import { runStoredSteps } from "./stored_steps.ts";

/** Counts the uses that would be deleted; returns false for a database without the table of uses. Only reads. */
export function planUsage(item: MaintainedDatabase, asked: UsageToDelete, { settings }: HasSettings): boolean {
  const database = openDatabase(item.path, { intent: "read", busyTimeoutMs: settings.busyTimeoutMs });
  try {
    item.usage_rows = countUsage(database, asked);
    return hasTable(database, "pattern_usage");
  } finally {
    database.close();
  }
}

/** Deletes uses of patterns in steps; after an interruption or a kill, the next call deletes and erases the rest. */
export async function forgetUsage(
  item: MaintainedDatabase,
  asked: UsageToDelete,
  run: Progress & HasSettings,
): Promise<void> {
  const { path } = item;
  const step = { path, stage: "forget", detail: "deleting uses of patterns" } as const;
  const database = openDatabase(path, { intent: "change", busyTimeoutMs: run.settings.busyTimeoutMs });
  const file = new PlacedFile(database, path);
  try {
    const work = usageDeletionSteps(database, reportingUsage(item, asked, run), file, run.settings.busyTimeoutMs);
    item.usage_rows = (await runStoredSteps(work, watchWriters(database), step, run)).usageRows;
  } finally {
    file.close();
  }
}

/** The same deletion, which reports its progress. */
export function reportingUsage(item: MaintainedDatabase, asked: UsageToDelete, run: Progress): UsageToDelete {
  const step = { path: item.path, stage: "forget", detail: "deleting uses of patterns", unit: "rows" } as const;
  return {
    ...asked,
    report: (done, total) => {
      item.usage_rows = done;
      run.reportProgress({ ...step, done, total });
    },
  };
}
