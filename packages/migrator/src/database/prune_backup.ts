import { existsSync, lstatSync, realpathSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import { nameFromText } from "../archive/tree/entry_name.ts";
import { assertEntriesRemovable } from "../archive/tree/remove_tree.ts";
import type { FoundDatabase } from "../core/discovery.ts";
import type { HasSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import type { DatabaseReport } from "../core/report.ts";
import { Stop, stopOf } from "../core/stop.ts";
import type { Workers } from "../io/child/workers.ts";
import { backupsOf } from "../io/copy_database.ts";
import { verifyDatabase } from "./verify/verify_database.ts";

/** Tables that programs of 16 change all the time. */
const LIVE_TABLES = ["patterns", "pattern_usage"];

/**
 * Decides if the backup of a database can be removed: a new comparison must show that the database has all of its data.
 */
export async function planPruneBackup(
  found: FoundDatabase,
  run: Progress & HasSettings & Workers,
): Promise<DatabaseReport> {
  const report = await verifyDatabase(found, run);
  const backup = report.backup?.path;
  if (report.status === "not_compared" || report.status === "left_alone") report.status = "nothing_to_do";
  else if (report.status === "differs") {
    const [difference] = report.verification?.differences ?? [];
    report.status = "refused";
    report.reason = `The backup was not removed, because the database differs from it: ${difference ?? report.reason}`;
  } else if (report.status === "verified" && backup !== undefined) {
    const alone = tablesWithOnlyBackup(report);
    if (alone !== "") {
      report.status = "refused";
      report.reason = `The backup was not removed, because only it has the former values of rows that were changed or deleted since the migration, in ${alone}. Copy these rows if you need them, then remove the backup manually.`;
      return report;
    }
    try {
      const place = realpathSync(backup);
      assertEntriesRemovable(dirname(place), [nameFromText(basename(place))], "the backup");
    } catch (error) {
      const stop = stopOf(error, report.path);
      report.status = stop.status;
      report.reason = stop.message;
      return report;
    }
    report.status = "planned";
    report.removed = [backup];
    const others = backupsOf(found.path, run.settings.backupDir).filter((path) => path !== backup);
    if (others.length > 0)
      report.notes.push(`not compared and not removed: ${others.join(", ")}; run prune again to compare the next one`);
  }
  return report;
}

/** Tables of the user, with the number of rows of the backup that have no equal row there. */
function tablesWithOnlyBackup({ verification }: DatabaseReport): string {
  return (verification?.other_tables ?? [])
    .filter(({ table, changed_since }) => changed_since > 0 && !LIVE_TABLES.includes(table.toLowerCase()))
    .map(({ table, changed_since }) => `${table} (${changed_since})`)
    .join(", ");
}

/**
 * Removes the backup that {@link planPruneBackup} found to be equal, if it is still the file that was compared.
 *
 * @param isInPlace False if the database that was compared is not at its path any more.
 */
export async function pruneBackup(
  report: DatabaseReport,
  run: Progress & Workers,
  isInPlace: () => boolean,
): Promise<void> {
  const backup = report.backup;
  if (report.status !== "planned" || backup === null) return;
  report.status = "not_started";
  try {
    await run.stage(report.path, "prune", `removing ${backup.path}`);
    if (lstatSync(backup.path).size !== backup.bytes || (await run.files.hash(backup.path)) !== backup.sha256)
      throw new Stop(
        "in_use",
        `The backup ${backup.path} changed after the comparison and was not removed. Run this command again.`,
      );
    if (!isInPlace())
      throw new Stop(
        "in_use",
        `The database was moved away or replaced after the comparison, so its backup ${backup.path} was not removed. Run this command again.`,
      );
    unlinkSync(backup.path);
    syncDone(backup.path, "the backup was removed");
    report.status = "pruned";
  } catch (error) {
    const stop = stopOf(error, report.path);
    report.status = stop.status;
    report.reason = stop.message;
    report.removed = report.removed.filter((path) => !existsSync(path));
  }
}
