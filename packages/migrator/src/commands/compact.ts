import { InteractionLog } from "@perdura/internals/metrics/interaction_log.js";
import { assertKnown } from "../core/argument_checks.ts";
import type { MaintenanceReport } from "../core/maintenance_report.ts";
import type { CommonOptions } from "../core/options.ts";
import { onEach, runMaintenance } from "./maintenance.ts";

/**
 * Gives the space of deleted rows back to the disk: rewrites each database without it. Other programs cannot write to a
 * database meanwhile, and the disk needs room for up to two more copies of it.
 *
 * @param targets A database, or a directory that contains databases; or several.
 * @returns A report; `bytes` and `bytes_after` are the sizes of a database.
 * @throws FileNotFoundError for a target that does not exist; ValidationError for a wrong argument; any value that
 *   `onProgress` throws.
 * @example
 * ```ts
 * const { databases } = await compactDatabases("./data");
 * ```
 */
export function compactDatabases(
  targets: string | readonly string[],
  options: Pick<CommonOptions, "busyTimeoutMs" | "onProgress" | "signal"> = {},
): Promise<MaintenanceReport> {
  assertKnown("compactDatabases", options, ["busyTimeoutMs", "onProgress", "signal"]);
  return runMaintenance("compact", targets, options, (run, databases) =>
    onEach(databases, async ({ item, levelColumn }) => {
      await run.stage(item.path, "compact", "rewriting the database");
      const log = new InteractionLog(item.path, levelColumn, { busyTimeoutMs: run.settings.busyTimeoutMs });
      try {
        const sizes = log.compact();
        Object.assign(item, { bytes: sizes.bytes_before, bytes_after: sizes.bytes_after });
      } finally {
        log.close();
      }
      return true;
    }),
  );
}
