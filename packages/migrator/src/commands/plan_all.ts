// Apart from `plan.ts`: the exports of that file are published, and must not include the driver's types.
import { describe } from "@perdura/internals/text/describe.js";
import type { Listings } from "../archive/states/listing.ts";
import { wrongArgument } from "../core/argument_checks.ts";
import type { Discovery } from "../core/discovery.ts";
import type { HasSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import type { MigrationReport } from "../core/report.ts";
import { type Inspections, planDatabase } from "../database/inspect/plan_database.ts";
import { isSameName } from "../database/layouts/level_tables.ts";
import { levelColumns } from "../database/layouts/table_layouts.ts";
import { excludedPaths } from "../find/state_directory.ts";
import type { Session } from "./session.ts";

/** Fills a report with the plan for all items that were found, and loads the code for their kinds only. */
export async function planAll(run: Session, discovery: Discovery, report: MigrationReport): Promise<void> {
  for (const found of discovery.databases) report.databases.push(await planDatabase(found, run));
  if (discovery.libraries.length > 0) {
    const { addLibraries, planLibrary } = await import("../library/library_report.ts");
    await addLibraries(report, discovery, (path) => planLibrary(path, run));
  }
  assertTableIsThere(run, discovery);
  if (discovery.stateDirectories.length === 0) return;
  const { planStates } = await import("../archive/write/plan_states.ts");
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const path of discovery.stateDirectories) report.state_directories.push(await planStates(path, excluded, run));
}

/**
 * @throws ValidationError if no database has the table that levels are to be read from; it names the possible tables.
 */
function assertTableIsThere({ settings, inspected }: HasSettings & Inspections, { databases }: Discovery): void {
  const name = settings.missingLevel?.fromTable ?? null;
  // An unreadable database may have it.
  if (name === null || databases.some(({ path }) => !inspected.has(path))) return;
  const there = databases.flatMap(({ path }) =>
    (inspected.get(path)?.found.levelTables ?? []).map((table) => ({ table, path })),
  );
  if (there.some(({ table }) => isSameName(table, name))) return;
  const named = there.map(({ table, path }) => `${describe(table)} in ${path}`);
  throw wrongArgument(
    "missingLevel",
    `"from-table,NAME" with the name of a table that has the columns id, user_id and ${levelColumns().join(" or ")} (found ${named.length === 0 ? "none" : named.join(", ")})`,
    name,
  );
}

/** Counts the states of the directories that would be archived; `up` counts them while it archives them. */
export async function countStatesOf(
  run: Progress & HasSettings & Listings,
  discovery: Discovery,
  report: MigrationReport,
): Promise<void> {
  if (report.state_directories.length === 0) return;
  const { countPlanned } = await import("../archive/write/plan_states.ts");
  const excluded = excludedPaths(discovery, run.settings.backupDir);
  for (const directory of report.state_directories) await countPlanned(directory, excluded, run);
}
