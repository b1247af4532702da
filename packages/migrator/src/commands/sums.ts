import { assertKnown } from "../core/argument_checks.ts";
import type { MaintenanceReport } from "../core/maintenance_report.ts";
import type { CommonOptions } from "../core/options.ts";
import { makeSumsOf } from "../database/maintenance/sums_of_database.ts";
import { onEach, runMaintenance } from "./maintenance.ts";

/**
 * Makes the sums from which statistics are read, so that no question has to: for example after another program wrote
 * many interactions. Other programs may use the databases meanwhile. Run it again after an interruption: it continues.
 *
 * @param targets A database, or a directory that contains databases; or several.
 * @returns A report; `summed` counts the interactions that were added to the sums of a database.
 * @throws FileNotFoundError for a target that does not exist; ValidationError for a wrong argument; any value that
 *   `onProgress` throws.
 * @example
 * ```ts
 * const { databases } = await makeSums("./data");
 * console.log(databases.map(({ summed }) => summed)); // [ 0, 0 ]
 * ```
 */
export function makeSums(
  targets: string | readonly string[],
  options: Pick<CommonOptions, "busyTimeoutMs" | "onProgress" | "signal"> = {},
): Promise<MaintenanceReport> {
  assertKnown("makeSums", options, ["busyTimeoutMs", "onProgress", "signal"]);
  return runMaintenance("sums", targets, options, (run, databases) =>
    onEach(databases, async ({ item, levelColumn }) => {
      item.summed = await makeSumsOf(item.path, levelColumn, run);
      return item.summed > 0;
    }),
  );
}
