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
  const { path, usage_rows: total } = item;
  item.usage_rows = 0;
  const step = { path, stage: "forget", detail: "deleting uses of patterns" } as const;
  const database = openDatabase(path, { intent: "change", busyTimeoutMs: run.settings.busyTimeoutMs });
  const file = new PlacedFile(database, path);
  function* steps(): Generator<{ done: number; total: number } | void, number> {
    const work = usageDeletionSteps(database, asked, file, run.settings.busyTimeoutMs);
    for (;;) {
      const next = work.next();
      if (next.done === true) return next.value.usageRows;
      if (next.value !== undefined) item.usage_rows = next.value;
      yield next.value === undefined ? undefined : { done: next.value, total };
    }
  }
  try {
    item.usage_rows = await runStoredSteps(steps(), watchWriters(database), step, run);
  } finally {
    file.close();
  }
}
