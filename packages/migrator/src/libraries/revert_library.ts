import type { Workers } from "../io/child/workers.ts";
import type { HasSettings, Progress } from "../core/run.ts";
import { statSync } from "node:fs";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { assertWritable } from "../io/access.ts";
import { noteUnplanned } from "../database/inspect/sound.ts";
import type { DatabaseReport } from "../core/report.ts";
import { Stop, stopOf } from "../core/stop.ts";
import { libraryReport } from "./library_item.ts";
import { assertUnchanged, stampOfFile } from "./migrate_library.ts";
import { backupOfLibrary, stateOf } from "./repair_of_backup.ts";

/**
 * Says what `down` would do with a pattern library in JSON. Cannot write.
 *
 * @returns Undefined for one that was never migrated.
 */
export async function planLibraryReversion(
  path: string,
  run: Progress & HasSettings,
): Promise<DatabaseReport | undefined> {
  const backup = backupOfLibrary(path, run);
  if (backup === undefined) return undefined;
  const report = libraryReport(path);
  try {
    await run.stage(path, "inspect", "comparing with the backup");
    switch (stateOf(path, backup)) {
      case "original":
        report.status = "nothing_to_do";
        break;
      case "repaired":
        assertWritable(path, run.settings.backupDir);
        report.status = "planned";
        report.steps = [`put the original back from ${backup}`];
        break;
      case "saved_since":
        report.status = "left_alone";
        report.reason = `A program has saved it since the migration. Programs before 16 read it as it is; the original is in ${backup}.`;
    }
  } catch (error) {
    noteUnplanned(report, error, run);
  }
  return report;
}

/** Puts the original of a pattern library back, byte for byte. */
export async function revertLibrary(report: DatabaseReport, run: Progress & HasSettings & Workers): Promise<void> {
  const { path } = report;
  try {
    await run.stage(path, "revert", "putting the original back");
    const backup = backupOfLibrary(path, run);
    const before = stampOfFile(path);
    if (backup === undefined || stateOf(path, backup) !== "repaired")
      throw new Stop("in_use", "It changed in the meantime. Run this command again.");
    const bytes = readWhole(backup);
    assertUnchanged(path, before);
    writeFileAtomically(path, (write) => write(bytes));
    const sha256 = await run.files.hash(backup);
    report.backup = { path: backup, bytes: statSync(backup).size, sha256, reused: false, kept: true };
    report.status = "reverted";
  } catch (error) {
    const stop = stopOf(error, path);
    report.status = stop.status;
    report.reason = stop.status === "failed" ? `${stop.message} The library is unchanged.` : stop.message;
  }
}
