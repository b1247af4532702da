import type { Listings } from "../archive/tree/listing.ts";
import { archiveStates } from "../archive/write/archive_states.ts";
import type { Discovery } from "../core/discovery.ts";
import type { HasSettings, MigrationOptions } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import type { MigrationReport } from "../core/report.ts";
import { migrateDatabase, rehearseDatabase } from "../database/forward/migrate_database.ts";
import { excludedPaths } from "../find/state_directory.ts";
import { migrateLibrary } from "../library/migrate_library.ts";
import { conclude, TROUBLES } from "./outcome.ts";
import { countStatesOf, planAll } from "./plan_all.ts";
import { runCommand, tidy, trySaveReport } from "./run_command.ts";
import type { Session } from "./session.ts";

/**
 * Migrates data from pre-16 to 16. Everything is planned first; if anything needs a decision or is in use, nothing is
 * changed. Then each database is migrated in one transaction (copied, changed, proved row by row, committed), and each
 * state directory is archived in a file next to it. Run it again after any failure: it completes the remaining work.
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

/**
 * Does the same as {@link migrate}, but asks between the plan and the first change.
 *
 * @param ask Gets the plan, if there is work to do; false cancels it, and nothing is changed. Null: does not ask.
 */
export function migrateIfConfirmed(
  targets: string | readonly string[],
  options: MigrationOptions | undefined,
  ask: ((plan: MigrationReport) => Promise<boolean>) | null,
): Promise<MigrationReport> {
  return runCommand("up", targets, options, async (run, discovery, report) => {
    // With several databases, one may need a decision after much has been copied; and the operator may decline.
    run.copying = discovery.databases.length === 1 && ask === null ? "early" : "locked";
    await planAll(run, discovery, report);
    const items = [...report.databases, ...report.state_directories];
    const isFree = report.refused.length === 0 && !items.some(({ status }) => TROUBLES.includes(status));
    if (isFree && (await isConfirmed(run, discovery, report, ask))) await changeAll(run, discovery, report);
    // States that were not archived are also reported.
    if (run.settings.signal?.aborted !== true) await countStatesOf(run, discovery, report);
    for (const item of items.filter(({ status }) => status === "planned")) item.status = "not_started";
    if (run.settings.saveReport && items.some(({ status }) => status === "migrated" || status === "archived")) {
      conclude(report);
      trySaveReport(report, discovery.home);
    }
  });
}

async function isConfirmed(
  run: Progress & HasSettings & Listings,
  discovery: Discovery,
  report: MigrationReport,
  ask: Parameters<typeof migrateIfConfirmed>[2],
): Promise<boolean> {
  const items = [...report.databases, ...report.state_directories];
  if (ask === null || !items.some(({ status }) => status === "planned")) return true;
  await countStatesOf(run, discovery, report);
  const plan: MigrationReport = { ...report, command: "plan", dry_run: true };
  conclude(plan);
  return ask(plan);
}

/** Changes the planned items one by one, and stops at the first failure. */
async function changeAll(run: Session, discovery: Discovery, report: MigrationReport): Promise<void> {
  await tidy(discovery, run);
  for (const item of report.databases.filter(({ status }) => status === "planned")) {
    const found = discovery.databases.find(({ path }) => path === item.path);
    item.status = "not_started";
    if (found === undefined) await migrateLibrary(item, run);
    else await (run.settings.rehearse ? rehearseDatabase : migrateDatabase)(found, item, run);
    if (TROUBLES.includes(item.status)) return;
  }
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const item of report.state_directories.filter(({ status }) => status === "planned")) {
    await archiveStates(item, excluded, run);
    if (TROUBLES.includes(item.status)) return;
  }
}
