import { withSettings, type HasSettings, type Progress } from "../../core/run.ts";
import type { Workers } from "../../io/child/workers.ts";
import type { DatabaseRun } from "../inspect/inspections.ts";
import { randomBytes } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import type { FoundDatabase } from "../../core/discovery.ts";
import { takesFiles } from "../../io/access.ts";
import { privateDirectory, whileReading } from "../../io/readable_database.ts";
import { createPrivateFile } from "../../io/private_file.ts";
import type { DatabaseReport } from "../../core/report.ts";
import { stopOf } from "../../core/stop.ts";
import { migrateDatabase } from "./migrate_database.ts";

/**
 * Does to a private copy of a database what `up` would do to the database, proof and commit included, and removes the
 * copy. The copy lies where the backup would lie, so that it meets the same disk; where nothing can be written there, among
 * temporary files. The database itself is only read.
 *
 * @param use Gets the path of the migrated copy before that is removed.
 */
export async function rehearseDatabase(
  found: FoundDatabase,
  report: DatabaseReport,
  run: DatabaseRun,
  use: (path: string) => Promise<void> = async () => undefined,
): Promise<void> {
  const { backupDir } = run.settings;
  const own = backupDir === null && !takesFiles(dirname(found.path)) ? privateDirectory() : undefined;
  const place = own ?? backupDir ?? dirname(found.path);
  const path = join(place, temporaryName(basename(found.path), randomBytes(4).toString("hex")));
  try {
    await copyForRehearsal(found, path, run);
    // Also where the original may not be written to.
    chmodSync(path, 0o600);
    const rehearsal: DatabaseReport = { ...report, path };
    await migrateDatabase({ ...found, path }, rehearsal, onCopy(run, path, found.path));
    if (rehearsal.status === "migrated") await use(path);
    const told = (text: string): string => text.replaceAll(path, found.path);
    Object.assign(report, rehearsal, {
      path: found.path,
      status: rehearsal.status === "migrated" ? "rehearsed" : rehearsal.status,
      reason: rehearsal.reason === null ? null : told(rehearsal.reason),
      notes: rehearsal.notes.map(told),
      // The copy of the copy went with it.
      backup: null,
    } satisfies Partial<DatabaseReport>);
  } catch (error) {
    const stop = stopOf(error, path);
    report.status = stop.status;
    report.reason = stop.message;
  } finally {
    run.discard(path);
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
}

/** The copy needs no backup that stays; and the operator hears of the database. */
function onCopy(run: DatabaseRun, path: string, original: string): DatabaseRun {
  // A copy is as sound as what it is a copy of, as long as it is one.
  const known = run.inspected.get(original);
  if (known !== undefined) run.inspected.set(path, known);
  const { onProgress } = run.settings;
  return withSettings(run, {
    backup: false,
    backupDir: null,
    onProgress: (event) => onProgress({ ...event, path: event.path === path ? original : event.path }),
  });
}

/** Whole and as nobody is changing it; without a byte being written beside the original, as in a plan. */
async function copyForRehearsal(
  found: FoundDatabase,
  to: string,
  run: Progress & HasSettings & Workers,
): Promise<void> {
  await run.stage(found.path, "backup", "copying the database for the rehearsal");
  await whileReading(found, run, async (database, path) => {
    if (path === found.path) return void (await run.files.copy(path, to, telling(path, run)));
    createPrivateFile(to);
    await database.backup(to);
  });
}

const telling =
  (path: string, run: Progress) =>
  (done: number, total: number): void =>
    run.tell({ path, stage: "backup", detail: "copying the database for the rehearsal", done, total, unit: "bytes" });
