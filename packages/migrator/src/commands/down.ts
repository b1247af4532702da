import { type CheckedArchives, planRestore, restoreStates } from "../archive/restore/restore_states.ts";
import type { Discovery } from "../core/discovery.ts";
import type { HasSettings, ReversionOptions } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import { type ItemStatus, type MigrationReport, stateDirectoryReport } from "../core/report.ts";
import {
  planDatabaseDowngrade,
  type DowngradeInspections,
  revertDatabase,
} from "../database/downgrade/downgrade_database.ts";
import { findLost, type Lost } from "../find/lost.ts";
import { excludedPaths } from "../find/state_directory.ts";
import type { Workers } from "../io/child/workers.ts";
import { addLibraries } from "../library/library_report.ts";
import { planLibraryDowngrade, restoreLibrary } from "../library/migrate_library.ts";
import { conclude, TROUBLES } from "./outcome.ts";
import { runCommand, tidy, trySaveReport } from "./run_command.ts";
import type { Session } from "./session.ts";

/**
 * Downgrades data of 16 to their layout before the migration, by the record in the databases themselves. Rows that were
 * recorded since are converted as well; rows that were not changed are identical to the originals. Everything is
 * planned first; if anything needs a decision or is in use, nothing is changed. Then each database is downgraded in one
 * transaction (copied, changed, proved, committed), and missing entries of state directories are restored from their
 * archives. With `dryRun` it only reports what it would do.
 *
 * @param targets A file, or a directory that contains databases and states; or several.
 * @returns A report; the content of the data never makes it throw. `exit_code` 0 means done or nothing to do.
 * @throws FileNotFoundError for a target that does not exist; ValidationError for a wrong argument; any value that
 *   `onProgress` throws.
 * @example
 * ```ts
 * const { exit_code, summary } = await revertMigration("./data");
 * ```
 */
export function revertMigration(
  targets: string | readonly string[],
  options?: ReversionOptions,
): Promise<MigrationReport> {
  return runCommand("down", targets, options, async (run, discovery, report) => {
    const { dryRun, saveReport } = run.settings;
    // `tidy` may have restored a directory that a killed run had renamed.
    if (!dryRun) discovery.stateDirectories.push(...(await tidy(discovery, run)));
    const checked: CheckedArchives = new Map();
    const archives = await planAll(run, discovery, report, checked);
    if (dryRun) return;
    const items = [...report.databases, ...report.state_directories];
    if (report.refused.length === 0 && !items.some(({ status }) => TROUBLES.includes(status)))
      await revertAll(run, discovery, archives, report, checked);
    for (const item of items.filter(isPlanned)) item.status = "not_started";
    for (const item of report.state_directories) if (item.status === "not_started") item.restored = 0;
    const isChanged = items.some(({ status }) => status === "reverted");
    if (saveReport && (isChanged || report.state_directories.some(({ restored }) => restored > 0))) {
      conclude(report);
      trySaveReport(report, discovery.home);
    }
  });
}

function isPlanned({ status }: { status: ItemStatus }): boolean {
  return status === "planned";
}

/**
 * Finds missing state directories by their archives and by earlier reports.
 *
 * @returns The archives that those reports name.
 */
async function planAll(
  run: Progress & HasSettings & Workers & DowngradeInspections,
  discovery: Discovery,
  report: MigrationReport,
  checked: CheckedArchives,
): Promise<Lost["archives"]> {
  for (const found of discovery.databases) report.databases.push(await planDatabaseDowngrade(found, run));
  await addLibraries(report, discovery, (path) => planLibraryDowngrade(path, run));
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  const { directories, archives } = findLost(report, discovery, run.settings.backupDir);
  for (const path of [...discovery.stateDirectories, ...directories]) {
    const item = stateDirectoryReport(path);
    await planRestore(item, excluded, run, archives.get(path), checked);
    report.state_directories.push(item);
  }
  return archives;
}

/** Downgrades the planned items one by one, and stops at the first failure. */
async function revertAll(
  run: Session,
  discovery: Discovery,
  archives: Lost["archives"],
  report: MigrationReport,
  checked: CheckedArchives,
): Promise<void> {
  for (const item of report.databases.filter(isPlanned)) {
    const found = discovery.databases.find(({ path }) => path === item.path);
    item.status = "not_started";
    if (found === undefined) await restoreLibrary(item, run);
    else await revertDatabase(found, item, run);
    if (TROUBLES.includes(item.status)) return;
  }
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const item of report.state_directories.filter(isPlanned)) {
    await restoreStates(item, excluded, run, archives.get(item.path), checked);
    if (TROUBLES.includes(item.status)) return;
  }
}
