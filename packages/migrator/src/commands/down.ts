import { type CheckedArchives, planRestore, restoreStates } from "../archive/restore/restore_states.ts";
import type { DowngradeOptions } from "../core/options.ts";
import { type MigrationReport, stateDirectoryReport } from "../core/report.ts";
import { planDatabaseDowngrade, downgradeDatabase } from "../database/downgrade/downgrade_database.ts";
import { findLost, type Lost } from "../find/lost.ts";
import { excludedPaths } from "../find/state_directory.ts";
import { addLibraries } from "../library/library_report.ts";
import { planLibraryDowngrade, restoreLibrary } from "../library/migrate_library.ts";
import { type Confirm, isPlanned, runChange } from "./change_command.ts";
import { TROUBLES } from "./outcome.ts";

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
 * const { exit_code, summary } = await downgradeMigration("./data");
 * ```
 */
export function downgradeMigration(
  targets: string | readonly string[],
  options?: DowngradeOptions,
): Promise<MigrationReport> {
  return downgradeIfConfirmed(targets, options, null);
}

/** Does the same as {@link downgradeMigration}, but has the plan confirmed. */
export function downgradeIfConfirmed(
  targets: string | readonly string[],
  options: DowngradeOptions | undefined,
  confirm: Confirm,
): Promise<MigrationReport> {
  const checked: CheckedArchives = new Map();
  let archives: Lost["archives"] = new Map();
  let backups: Lost["backups"] = new Map();
  return runChange("down", targets, options, confirm, {
    plan: async (run, discovery, report) => {
      for (const found of discovery.databases) report.databases.push(await planDatabaseDowngrade(found, run));
      // Missing state directories are found by their archives, and backups in other directories by earlier reports.
      const lost = findLost(discovery, run.settings.backupDir);
      ({ archives, backups } = lost);
      await addLibraries(report, discovery, (path) => planLibraryDowngrade(path, run, backups.get(path)));
      const excluded = excludedPaths(discovery, run.settings.backupDir);
      for (const path of [...discovery.stateDirectories, ...lost.directories]) {
        const item = stateDirectoryReport(path);
        await planRestore(item, excluded, run, archives.get(path), checked);
        report.state_directories.push(item);
      }
    },
    change: async (run, discovery, report) => {
      for (const item of report.databases.filter(isPlanned)) {
        const found = discovery.databases.find(({ path }) => path === item.path);
        item.status = "not_started";
        if (found === undefined) await restoreLibrary(item, run, backups.get(item.path));
        else await downgradeDatabase(found, item, run);
        if (TROUBLES.includes(item.status)) return;
      }
      const excluded = excludedPaths(discovery, run.settings.backupDir);
      for (const item of report.state_directories.filter(isPlanned)) {
        await restoreStates(item, excluded, run, archives.get(item.path), checked);
        if (TROUBLES.includes(item.status)) return;
      }
    },
  });
}
