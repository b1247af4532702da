import type { Discovery } from "../discover/discover.ts";
import { addLibraries } from "../libraries/libraries_in.ts";
import { planLibrary } from "../libraries/plan_library.ts";
import { planDatabase } from "../inspect/plan_database.ts";
import type { MigrationReport } from "../report/report.ts";
import { excludedPaths } from "../states/excluded.ts";
import { countPlanned, planStates } from "../states/plan_states.ts";
import type { Run } from "./run.ts";

/** Fills a report with the plan for everything that was found. */
export async function planAll(run: Run, discovery: Discovery, report: MigrationReport): Promise<void> {
  for (const found of discovery.databases) report.databases.push(await planDatabase(found, run));
  await addLibraries(report, discovery, (path) => planLibrary(path, run));
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const path of discovery.stateDirectories) report.state_directories.push(await planStates(path, excluded, run));
}

/** Reads the states of the directories that would be archived; `up` does that while it archives them. */
export async function countStatesOf(run: Run, discovery: Discovery, report: MigrationReport): Promise<void> {
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const directory of report.state_directories) await countPlanned(directory, excluded, run);
}
