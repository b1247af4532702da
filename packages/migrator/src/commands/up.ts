import type { Discovery, FoundDatabase } from "../core/discovery.ts";
import type { MigrationOptions } from "../core/options.ts";
import type { DatabaseReport, MigrationReport, StateDirectoryReport } from "../core/report.ts";
import { commandLine } from "../core/shell_words.ts";
import { stopOf } from "../core/stop.ts";
import { makeSumsOf } from "../database/maintenance/sums_of_database.ts";
import { migrateDatabase, rehearseDatabase } from "../database/migrate_database.ts";
import { excludedPaths } from "../find/state_directory.ts";
import { type Confirm, isPlanned, runChange } from "./change_command.ts";
import { TROUBLES } from "./outcome.ts";
import { countStatesOf, planAll } from "./plan_all.ts";
import type { Session } from "./session.ts";

/**
 * Migrates data from pre-16 to 16. Everything is planned first; if anything needs a decision or is in use, nothing is
 * changed. Then each database is migrated in one transaction (copied, changed, proved row by row, committed), and each
 * state directory is archived in a file next to it. At last the sums for statistics of long databases are computed, while
 * other programs may already use them. Run it again after any failure: it completes the remaining work.
 *
 * @param targets A file, a state directory, or a directory that contains either; or several.
 * @returns A report; the content of the data never makes it throw. `exit_code` 0 means done or nothing to do.
 * @throws FileNotFoundError for a target that does not exist; ValidationError for a wrong argument; any value that
 *   `onProgress` throws.
 * @example
 * ```ts
 * const report = await migrate("./data", { invalidRows: "quarantine" });
 * if (report.exit_code !== 0) throw new Error(report.summary);
 * ```
 */
export function migrate(targets: string | readonly string[], options?: MigrationOptions): Promise<MigrationReport> {
  return migrateIfConfirmed(targets, options, null);
}

/** Does the same as {@link migrate}, but has the plan confirmed. */
export function migrateIfConfirmed(
  targets: string | readonly string[],
  options: MigrationOptions | undefined,
  confirm: Confirm,
): Promise<MigrationReport> {
  return runChange("up", targets, options, confirm, {
    plan: async (run, discovery, report) => {
      // With several databases, one may need a decision after much has been copied; and the operator may decline.
      run.copying = discovery.databases.length === 1 && confirm === null ? "early" : "locked";
      await planAll(run, discovery, report);
    },
    complete: countStatesOf,
    change: changeAll,
    finish: makeAllSums,
  });
}

/** A database that cannot be written to any more is migrated nevertheless: its sums can be made at any time. */
async function makeAllSums(run: Session, discovery: Discovery, report: MigrationReport): Promise<void> {
  for (const item of report.databases) {
    if (item.status !== "migrated" || !discovery.databases.some(({ path }) => path === item.path)) continue;
    try {
      await makeSumsOf(item.path, "level", run);
    } catch (error) {
      const stop = stopOf(error, item.path);
      if (stop.status === "interrupted") throw stop;
      item.notes.push(
        `the sums for statistics were not completed: ${stop.message} Run ${commandLine("sums", [], [item.path])} later`,
      );
    }
  }
}

/** Changes the planned items one by one, and stops at the first failure. */
async function changeAll(run: Session, discovery: Discovery, report: MigrationReport): Promise<void> {
  for (const { item, change } of await changesOf(run, discovery, report)) {
    await change();
    if (TROUBLES.includes(item.status)) return;
  }
}

interface Change {
  item: DatabaseReport | StateDirectoryReport;
  change: () => Promise<void>;
}

/** All code is loaded before the first change: an update of the program could remove its files meanwhile. */
async function changesOf(run: Session, discovery: Discovery, report: MigrationReport): Promise<Change[]> {
  const changes: Change[] = [];
  const changeDatabase = run.settings.rehearse ? rehearseDatabase : migrateDatabase;
  for (const item of report.databases.filter(isPlanned)) {
    const found = discovery.databases.find(({ path }) => path === item.path);
    const library = found === undefined ? await import("../library/migrate_library.ts") : undefined;
    const change = (): Promise<void> => {
      item.status = "not_started";
      return library === undefined
        ? changeDatabase(found as FoundDatabase, item, run)
        : library.migrateLibrary(item, run);
    };
    changes.push({ item, change });
  }
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const item of report.state_directories.filter(isPlanned)) {
    const { archiveStates } = await import("../archive/write/archive_states.ts");
    changes.push({ item, change: () => archiveStates(item, excluded, run) });
  }
  return changes;
}
