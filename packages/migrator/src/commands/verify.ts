import { basename } from "node:path";
import { placeOf } from "@perdura/internals/files/place_of.js";
import { verifyStates } from "../archive/read/verify_states.ts";
import type { Discovery } from "../core/discovery.ts";
import type { CommonOptions } from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { verifyDatabase } from "../database/verify/verify_database.ts";
import { findLost } from "../find/lost.ts";
import { excludedPaths } from "../find/state_directory.ts";
import { isBackupOf16, ownKind } from "../io/own_files.ts";
import { addLibraries, verifyLibrary } from "../library/library_report.ts";
import { describeBackup } from "./describe_backup.ts";
import { runCommand } from "./run_command.ts";

/**
 * Compares migrated databases with their backups, and archives with their state directories, at any time after the
 * migration. Cannot write. Rows that were recorded since are counted, but are not differences.
 *
 * @param targets A file, a state directory, or a directory that contains either; or several. A backup or archive: the
 *   file or directory next to it is compared with exactly this one.
 * @param options `backupDir` if the migration had one.
 * @returns A report whose items are `verified`, `differs` or `not_compared`. `exit_code` is 1 if nothing could be
 *   compared.
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
    const lost = findLost(discovery, run.settings.backupDir);
    const { namedBackups: named } = discovery;
    for (const found of discovery.databases) {
      const { path } = found;
      report.databases.push(await verifyDatabase(found, run, lost.backups.get(path), named.get(path)));
    }
    await addLibraries(report, discovery, (path) =>
      verifyLibrary(
        path,
        run,
        lost.backups.get(path),
        named.get(path)?.findLast((backup) => !isBackupOf16(backup)),
      ),
    );
    const missing = [...lost.databases];
    for (const path of backupsWithoutSource(discovery)) missing.push(await describeBackup(path, run));
    report.databases.push(...missing);
    const missed = new Set(missing.map(({ path }) => path));
    report.left_alone = report.left_alone.filter(({ path }) => !missed.has(path));
    report.refused = report.refused.filter(({ path }) => !missed.has(path) || !discovery.unreadable.has(path));
    const excluded = excludedPaths(discovery, run.settings.backupDir);
    for (const path of [...discovery.stateDirectories, ...lost.directories])
      report.state_directories.push(
        await verifyStates(path, lost.archives.get(path) ?? [], excluded, run, named.get(path)),
      );
  });
}

/** Backups among the targets whose source is not next to them. */
function backupsWithoutSource({ own, targets, refused }: Discovery): string[] {
  const places = new Set(targets.map((target) => placeOf(target)));
  const unreadable = new Set(refused.map(({ path }) => path));
  return own.filter((path) => places.has(path) && ownKind(basename(path)) === "backup" && !unreadable.has(path));
}
