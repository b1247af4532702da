import type { Progress } from "../core/run.ts";
import { lstatSync } from "node:fs";
import { stateDirectoryReport, type StateDirectoryReport } from "../core/report.ts";
import { Stop, stopOf } from "../core/stop.ts";
import { archiveNames } from "./archive_place.ts";
import { assertRemovable } from "./assert_removable.ts";
import { checkArchive } from "./check_archive.ts";
import { compareArchive } from "./compare_archive.ts";
import { putSurvey } from "./count_states.ts";
import { survey } from "./survey.ts";
import { entryTicks } from "./ticks.ts";
import type { Excludes } from "./walk_tree.ts";

/**
 * Says whether a state directory can go: its archive is as it was written, and has every entry that is there, equal byte
 * for byte. Entries that are in the archive only do not matter: a run that was killed may have removed them.
 */
export async function planPrune(path: string, excludes: Excludes, run: Progress): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  try {
    await run.stage(path, "compare", "comparing the archive with the directory");
    await decide(report, excludes, run);
  } catch (error) {
    const stop = stopOf(error, path);
    if (stop.status === "interrupted") throw stop;
    if (isGone(report)) return report;
    report.status = stop.status === "failed" ? "refused" : stop.status;
    report.reason = stop.message;
  }
  return report;
}

async function decide(report: StateDirectoryReport, excludes: Excludes, run: Progress): Promise<void> {
  const { path } = report;
  const archives = archiveNames(path);
  const archive = archives.at(-1);
  const found = await survey(path, excludes, entryTicks(run, path, "compare", "listing the directory"));
  putSurvey(report, found);
  report.status = "nothing_to_do";
  if (archive === undefined) {
    report.reason = "There is no archive of it, so nothing of it is removed. up makes one.";
    return;
  }
  report.archive = { path: archive, bytes: lstatSync(archive).size, sha256: null };
  if (found.entries + found.special.length === 0) {
    report.reason = "There is nothing in it that the archive has.";
    return;
  }
  // First the archives themselves, for down needs them all: what does not belong together cannot be compared with anything.
  for (const name of archives.toReversed()) {
    const [damage] = await checkArchive(name, path, entryTicks(run, path, "compare", "checking the archive"));
    if (damage !== undefined)
      throw new Stop("refused", `The archive ${name} is not as it was written: ${damage}. Nothing is removed.`);
  }
  const tick = entryTicks(run, path, "compare", "comparing the archive with the directory");
  const [difference] = await compareArchive(archive, path, excludes, tick, { mayLack: true });
  if (difference !== undefined)
    throw new Stop(
      "refused",
      `It is not as it was archived (${difference}), so nothing of it is removed. up archives it as it is now.`,
    );
  assertRemovable(path, excludes, found.excluded === 0);
  report.removed = found.entries;
  report.status = "planned";
  if (found.excluded > 0)
    report.notes.push("other things lie in the directory, so it stays; only what is in the archive is removed");
}

/** True when another run removed the directory meanwhile; the report says so. */
export function isGone(report: StateDirectoryReport): boolean {
  if (lstatSync(report.path, { throwIfNoEntry: false }) !== undefined) return false;
  report.status = "nothing_to_do";
  report.removed = 0;
  report.reason = "It is gone: another run removed it meanwhile.";
  return true;
}
