import { verifyStates } from "../archive/read/verify_states.ts";
import type { CommonOptions } from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { verifyDatabase } from "../database/proof/verify_database.ts";
import { findLost } from "../find/lost.ts";
import { excludedPaths } from "../find/state_directory.ts";
import { addLibraries, verifyLibrary } from "../library/library_report.ts";
import { runCommand } from "./run_command.ts";

/**
 * Compares migrated databases with their backups, and archives with their state directories, at any time after the
 * migration. Cannot write. Rows that were recorded since are counted, but are not differences.
 *
 * @param targets A file, a state directory, or a directory that contains either; or several.
 * @param options `backupDir` if the migration had one.
 * @returns A report whose items are `verified`, `differs` or `not_compared`.
 * @throws FileNotFoundError for a target that does not exist; ValidationError for a wrong argument; any value that
 *   `onProgress` throws.
 * @example
 * ```ts
 * const { exit_code, summary } = await verifyMigration("./data");
 * ```
 */
export function verifyMigration(
  targets: string | readonly string[],
  options?: CommonOptions,
): Promise<MigrationReport> {
  return runCommand("verify", targets, options, async (run, discovery, report) => {
    const lost = findLost(report, discovery, run.settings.backupDir);
    for (const found of discovery.databases)
      report.databases.push(await verifyDatabase(found, run, lost.backups.get(found.path)));
    await addLibraries(report, discovery, (path) => verifyLibrary(path, run, lost.backups.get(path)));
    report.databases.push(...lost.databases);
    const missed = new Set(lost.databases.map(({ path }) => path));
    report.left_alone = report.left_alone.filter(({ path }) => !missed.has(path));
    report.refused = report.refused.filter(({ path }) => !missed.has(path) || !discovery.unreadable.has(path));
    const excluded = excludedPaths(discovery, run.settings.backupDir);
    for (const path of [...discovery.stateDirectories, ...lost.directories])
      report.state_directories.push(await verifyStates(path, lost.archives.get(path) ?? [], excluded, run));
  });
}
