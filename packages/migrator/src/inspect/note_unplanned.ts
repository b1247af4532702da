import type { HasSettings } from "../core/run.ts";
import { DamagedRecord } from "../record/damaged_record.ts";
import type { DatabaseReport } from "../core/report.ts";
import { stopOf } from "../core/stop.ts";
import { reasonOf } from "./damage.ts";

/**
 * Puts into a report why a database could not be planned. Somebody has to look at what cannot even be read, so that
 * counts as refused; a record that is damaged is a failure of the way back.
 *
 * @throws Stop when the run was interrupted, for that concerns the whole of it.
 */
export function noteUnplanned(report: DatabaseReport, error: unknown, run: HasSettings): void {
  const stop = stopOf(error, report.path);
  if (stop.status === "interrupted") throw stop;
  report.status = stop.status === "failed" && !(stop instanceof DamagedRecord) ? "refused" : stop.status;
  report.reason = reasonOf(error, stop, report.path, run.settings);
}
