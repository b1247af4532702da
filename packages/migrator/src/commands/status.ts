import { statusOfStates } from "../archive/read/verify_states.ts";
import type { CommonOptions } from "../core/options.ts";
import type { DatabaseReport, MigrationReport } from "../core/report.ts";
import { statusOfDatabase } from "../database/status_of_database.ts";
import { findLost } from "../find/lost.ts";
import { excludedPaths } from "../find/state_directory.ts";
import { addLibraries, statusOfLibrary } from "../library/library_report.ts";
import { runCommand } from "./run_command.ts";

/**
 * Reports existing data, past migrations, and pending steps. Fast, because no values are checked or compared. Cannot
 * write.
 *
 * @param targets A file, a state directory, or a directory that contains either; or several. A backup or archive means
 *   the file or directory next to it.
 * @param options `backupDir` if the migration had one.
 * @returns A report whose items are `planned` (steps are pending), `nothing_to_do`, `migrated` (a library in JSON
 *   whose original is in a backup), `left_alone` or `refused`.
 * @throws FileNotFoundError for a target that does not exist; ValidationError for a wrong argument; any value that
 *   `onProgress` throws.
 * @example
 * ```ts
 * const { databases } = await migrationStatus("./data");
 * console.log(databases.map(({ layout, history }) => `${layout}: ${history.length}`)); // [ 'documented-15: 0', 'patterns: 0' ]
 * ```
 */
export function migrationStatus(
  targets: string | readonly string[],
  options?: CommonOptions,
): Promise<MigrationReport> {
  return runCommand("status", targets, options, async (run, discovery, report) => {
    const lost = findLost(discovery, run.settings.backupDir);
    for (const found of discovery.databases)
      report.databases.push(await statusOfDatabase(found, lost.backups.get(found.path), run));
    await addLibraries(report, discovery, (path) => statusOfLibrary(path, run, lost.backups.get(path)));
    const gone = lost.databases.filter(({ path }) => !discovery.unreadable.has(path));
    report.databases.push(...gone.map(leftAlone));
    const missed = new Set(gone.map(({ path }) => path));
    report.left_alone = report.left_alone.filter(({ path }) => !missed.has(path));
    const excluded = excludedPaths(discovery, run.settings.backupDir);
    for (const path of [...discovery.stateDirectories, ...lost.directories])
      report.state_directories.push(await statusOfStates(path, lost.archives.get(path) ?? [], excluded, run));
  });
}

/** A difference for `verify` is only information here. */
function leftAlone(database: DatabaseReport): DatabaseReport {
  return { ...database, status: "left_alone" };
}
