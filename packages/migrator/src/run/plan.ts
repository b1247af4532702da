import type { Discovery } from "../discover/discover.ts";
import { planDatabase } from "../inspect/plan_database.ts";
import type { MigrationOptions } from "../options.ts";
import type { MigrationReport } from "../report/report.ts";
import { excludedPaths } from "../states/excluded.ts";
import { countPlanned, planStates } from "../states/plan_states.ts";
import { runCommand } from "./begin.ts";
import type { Run } from "./run.ts";

/**
 * Says what {@link migrate} would do with databases, state directories, or whatever directories hold them. Cannot write.
 *
 * @param targets A file, a state directory, or a directory that holds either; or several.
 * @returns A report whose items are `planned`, `nothing_to_do`, `left_alone`, `refused` or `in_use`.
 * @throws FileNotFoundError for a target that is not there; ValidationError for a wrong option.
 * @example
 * ```ts
 * const plan = await planMigration("./data");
 * for (const { path, steps } of plan.databases) if (steps.length > 0) console.error(path, steps);
 * console.log(plan.summary); // Nothing was changed. Found 2 to migrate or archive, 1 with nothing to do.
 * ```
 */
export function planMigration(
  targets: string | readonly string[],
  options?: MigrationOptions,
): Promise<MigrationReport> {
  return runCommand("plan", targets, options, async (run, discovery, report) => {
    await planAll(run, discovery, report);
    await countStatesOf(run, discovery, report);
  });
}

/** Fills a report with the plan for everything that was found. */
export async function planAll(run: Run, discovery: Discovery, report: MigrationReport): Promise<void> {
  for (const found of discovery.databases) report.databases.push(await planDatabase(found, run));
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const path of discovery.stateDirectories) report.state_directories.push(await planStates(path, excluded, run));
}

/** Reads the states of the directories that would be archived; `up` does that while it archives them. */
export async function countStatesOf(run: Run, discovery: Discovery, report: MigrationReport): Promise<void> {
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const directory of report.state_directories) await countPlanned(directory, excluded, run);
}
