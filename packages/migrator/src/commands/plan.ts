import type { MigrationOptions } from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { countStatesOf, planAll } from "./plan_all.ts";
import { runCommand } from "./run_command.ts";

/**
 * Plans {@link migrate} for databases, state directories, or directories that contain them. Cannot write.
 *
 * @param targets A file, a state directory, or a directory that contains either; or several.
 * @returns A report whose items are `planned`, `nothing_to_do`, `left_alone`, `refused` or `in_use`.
 * @throws FileNotFoundError for a target that does not exist; ValidationError for a wrong argument; any value that
 *   `onProgress` throws.
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
