import { randomBytes } from "node:crypto";
import { chmodSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncDirectory } from "@perdura/internals/files/atomic_write.js";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { removeCopy } from "../databases/backup.ts";
import { giveName } from "../placing/give_name.ts";
import { createPrivateFile, modeWithin } from "../placing/private_file.ts";
import type { StateDirectoryReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { Stop, stopOf } from "../stop.ts";
import { freeArchivePath, newestArchive } from "./archive_place.ts";
import { compareArchive } from "./compare_archive.ts";
import { type Excludes, listTree } from "./tree.ts";
import { writeArchive } from "./write_archive.ts";

/**
 * Archives a state directory in one file beside it: written under a temporary name, read back and compared byte by byte
 * with the directory, synced, and only then given its name. The directory itself is only read.
 */
export async function archiveStates(report: StateDirectoryReport, excludes: Excludes, run: Run): Promise<void> {
  const directory = report.path;
  const place = dirname(directory);
  const temporary = join(place, temporaryName(basename(directory), randomBytes(4).toString("hex")));
  try {
    await run.stage(directory, "archive", `writing ${report.entries} entries`);
    createPrivateFile(temporary);
    writeArchive(temporary, listTree(directory, excludes));
    await run.stage(directory, "read_back", "comparing the archive with the directory byte by byte");
    const differences = compareArchive(temporary, listTree(directory, excludes));
    if (differences.length > 0) {
      throw new Stop(
        "in_use",
        `The directory changed while it was archived (${differences[0]}). Stop the program that writes to it, then run this command again.`,
      );
    }
    chmodSync(temporary, modeWithin([directory]));
    await run.files.sync(temporary);
    const sha256 = await run.files.hash(temporary);
    await run.stage(directory, "place", "giving the archive its name");
    const path = putInPlace(temporary, directory, excludes);
    syncDirectory(place);
    report.archive = { path, bytes: statSync(path).size, sha256 };
    report.status = "archived";
  } catch (error) {
    removeCopy(temporary);
    const stop = stopOf(error, directory);
    report.status = stop.status;
    report.reason = stop.message;
    report.archive = null;
  }
}

/** Another run may have archived the same at the same time: its archive is used, and ours goes. */
function putInPlace(temporary: string, directory: string, excludes: Excludes): string {
  for (;;) {
    const newest = newestArchive(directory);
    if (newest !== undefined && compareArchive(newest, listTree(directory, excludes)).length === 0) {
      removeCopy(temporary);
      return newest;
    }
    const path = freeArchivePath(directory);
    if (giveName(temporary, path)) return path;
  }
}
