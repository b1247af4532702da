import { dirname } from "node:path";
import { removeUnfinished } from "../databases/clean_up.ts";
import { migrateDatabase } from "../databases/migrate_database.ts";
import type { Discovery } from "../discover/discover.ts";
import type { MigrationOptions } from "../options.ts";
import type { ItemStatus, MigrationReport } from "../report/report.ts";
import { trySaveReport } from "../report/save_report.ts";
import { archiveStates } from "../states/archive_states.ts";
import { excludedPaths } from "../states/excluded.ts";
import { runCommand } from "./begin.ts";
import { conclude } from "./outcome.ts";
import { planAll } from "./plan.ts";
import type { Run } from "./run.ts";

const TROUBLES: readonly ItemStatus[] = ["refused", "in_use", "failed", "uncertain", "interrupted"];

/**
 * Brings data from before 16 to 16. Everything is planned first; if anything needs a decision or is in use, nothing at
 * all is changed. Then each database in one transaction (copied, changed, proved row by row, committed), then each state
 * directory into an archive beside it. Run it again after whatever happened: it finishes what is left to do.
 *
 * @param targets A file, a state directory, or a directory that holds either; or several.
 * @returns A report; it never throws for what the data holds. `exit_code` 0 means done or nothing to do.
 * @throws FileNotFoundError for a target that is not there; ValidationError for a wrong option.
 * @example
 * ```ts
 * const report = await migrate("./data", { invalidRows: "quarantine" });
 * if (report.exit_code !== 0) throw new Error(report.summary);
 * ```
 */
export function migrate(targets: string | readonly string[], options?: MigrationOptions): Promise<MigrationReport> {
  return runCommand("up", targets, options, async (run, discovery, report) => {
    await planAll(run, discovery, report);
    const items = [...report.databases, ...report.state_directories];
    if (report.refused.length === 0 && !items.some(({ status }) => TROUBLES.includes(status)))
      await changeAll(run, discovery, report);
    for (const item of items.filter(({ status }) => status === "planned")) item.status = "not_started";
    if (run.settings.saveReport && items.some(({ status }) => status === "migrated" || status === "archived")) {
      conclude(report);
      trySaveReport(report, discovery.home);
    }
  });
}

/** Wherever a run may have been writing when it was killed. */
function placesOf({ databases, stateDirectories, home }: Discovery, { settings }: Run): Set<string> {
  const besides = [...databases.map(({ path }) => path), ...stateDirectories].map((path) => dirname(path));
  return new Set([home, ...besides, ...(settings.backupDir === null ? [] : [settings.backupDir])]);
}

/** Goes through what was planned, one after the other, and stops at the first trouble. */
async function changeAll(run: Run, discovery: Discovery, report: MigrationReport): Promise<void> {
  for (const place of placesOf(discovery, run)) removeUnfinished(place);
  for (const item of report.databases.filter(({ status }) => status === "planned")) {
    const found = discovery.databases.find(({ path }) => path === item.path);
    if (found === undefined) continue;
    item.status = "not_started";
    await migrateDatabase(found, item, run);
    if (TROUBLES.includes(item.status)) return;
  }
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const item of report.state_directories.filter(({ status }) => status === "planned")) {
    await archiveStates(item, excluded, run);
    if (TROUBLES.includes(item.status)) return;
  }
}
