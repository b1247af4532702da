import { existsSync, statSync } from "node:fs";
import { planPrune, pruneStates } from "../archive/prune/prune_states.ts";
import type { PruneOptions } from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { planPruneBackup, pruneBackup } from "../database/prune_backup.ts";
import { excludedPaths } from "../find/state_directory.ts";
import { stampOfFile } from "../io/entries.ts";
import { type Confirm, isPlanned, runChange } from "./change_command.ts";
import { TROUBLES } from "./outcome.ts";

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
  return pruneIfConfirmed(targets, options, null);
}

/** Does the same as {@link pruneMigration}, but has the plan confirmed. */
export function pruneIfConfirmed(
  targets: string | readonly string[],
  options: PruneOptions | undefined,
  confirm: Confirm,
): Promise<MigrationReport> {
  const compared = new Map<string, Compared>();
  return runChange("prune", targets, options, confirm, {
    plan: async (run, discovery, report) => {
      for (const found of run.settings.pruneBackups ? discovery.databases : []) {
        compared.set(found.path, lookAt(found.path));
        report.databases.push(await planPruneBackup(found, run));
      }
      const excluded = excludedPaths(discovery, run.settings.backupDir);
      for (const path of discovery.stateDirectories)
        report.state_directories.push(await planPrune(path, excluded, run));
      const removed = new Set(report.databases.flatMap((database) => database.removed));
      report.left_alone = report.left_alone.filter(({ path }) => !removed.has(path));
    },
    change: async (run, discovery, report) => {
      for (const item of report.databases.filter(isPlanned)) {
        const found = discovery.databases.find(({ path }) => path === item.path);
        const now = lookAt(item.path);
        // The answer may have taken long: a database that changed meanwhile is compared again.
        if (found !== undefined && now.stamp !== compared.get(item.path)?.stamp)
          Object.assign(item, await planPruneBackup(found, run));
        await pruneBackup(item, run, () => lookAt(item.path).file === now.file);
        if (TROUBLES.includes(item.status)) return;
      }
      const excluded = excludedPaths(discovery, run.settings.backupDir);
      for (const item of report.state_directories.filter(isPlanned)) {
        await pruneStates(item, excluded, run);
        if (TROUBLES.includes(item.status)) return;
      }
    },
  });
}

/** State of a database when it was compared. */
interface Compared {
  /** Identifies the file; undefined if it is missing. */
  file: string | undefined;
  /** Changes with every change of the database or of its log. */
  stamp: string;
}

function lookAt(path: string): Compared {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return {
    file: found && `${found.dev}:${found.ino}`,
    stamp: [path, `${path}-wal`].map((file) => (existsSync(file) ? stampOfFile(file) : "")).join(),
  };
}
