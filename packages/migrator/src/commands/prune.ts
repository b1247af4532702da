import { planPrune, pruneStates } from "../archive/prune/prune_states.ts";
import type { Discovery } from "../core/discovery.ts";
import type { HasSettings, PruneOptions } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import type { DatabaseReport, MigrationReport, StateDirectoryReport } from "../core/report.ts";
import { planPruneBackup, pruneBackup } from "../database/prune_backup.ts";
import { excludedPaths } from "../find/state_directory.ts";
import type { Workers } from "../io/child/workers.ts";
import { conclude, TROUBLES } from "./outcome.ts";
import { runCommand, tidy, trySaveReport } from "./run_command.ts";

/**
 * Removes files that are not needed after the migration: state directories whose archive has all of their entries, and
 * with `pruneBackups` the backups that equal their databases. All of them are compared again first; if anything
 * differs, nothing is removed. Archives stay. With `dryRun` it only reports what it would remove.
 *
 * @param targets A file, a state directory, or a directory that contains either; or several.
 * @returns A report; `removed` of each item lists the removed files, or counts the removed entries. `exit_code` 0 means
 *   done or nothing to do.
 * @throws FileNotFoundError for a target that does not exist; ValidationError for a wrong argument; any value that
 *   `onProgress` throws.
 * @example
 * ```ts
 * const { state_directories: directories } = await pruneMigration("./data", { dryRun: true });
 * ```
 */
export function pruneMigration(targets: string | readonly string[], options?: PruneOptions): Promise<MigrationReport> {
  return runCommand("prune", targets, options, async (run, discovery, report) => {
    if (!run.settings.dryRun) discovery.stateDirectories.push(...(await tidy(discovery, run)));
    await planAll(run, discovery, report);
    if (run.settings.dryRun) return;
    const items = [...report.databases, ...report.state_directories];
    if (report.refused.length === 0 && !items.some(({ status }) => TROUBLES.includes(status)))
      await pruneAll(run, discovery, report);
    for (const item of items.filter(({ status }) => status === "planned")) {
      item.status = "not_started";
      forgetRemoved(item);
    }
    if (run.settings.saveReport && items.some(isChanged)) {
      conclude(report);
      trySaveReport(report, discovery.home);
    }
  });
}

async function planAll(
  run: Progress & HasSettings & Workers,
  discovery: Discovery,
  report: MigrationReport,
): Promise<void> {
  if (run.settings.pruneBackups)
    for (const found of discovery.databases) report.databases.push(await planPruneBackup(found, run));
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const path of discovery.stateDirectories) report.state_directories.push(await planPrune(path, excluded, run));
  const removed = new Set(report.databases.flatMap((database) => database.removed));
  report.left_alone = report.left_alone.filter(({ path }) => !removed.has(path));
}

/** Prunes the planned items one by one, and stops at the first failure. */
async function pruneAll(
  run: Progress & HasSettings & Workers,
  discovery: Discovery,
  report: MigrationReport,
): Promise<void> {
  for (const item of report.databases) {
    await pruneBackup(item, run);
    if (TROUBLES.includes(item.status)) return;
  }
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const item of report.state_directories) {
    await pruneStates(item, excluded, run);
    if (TROUBLES.includes(item.status)) return;
  }
}

/** Also true for a removal that failed in the middle. */
function isChanged({ status, removed }: DatabaseReport | StateDirectoryReport): boolean {
  return status === "pruned" || (typeof removed === "number" && removed > 0);
}

function forgetRemoved(item: DatabaseReport | StateDirectoryReport): void {
  if (typeof item.removed === "number") item.removed = 0;
  else item.removed = [];
}
