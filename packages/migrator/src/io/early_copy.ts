import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { HasSettings } from "../core/options.ts";
import type { Cleanup } from "../core/progress.ts";
import { freeBytes } from "./access.ts";
import { LARGE, type Workers } from "./child/workers.ts";
import { stampOf, temporaryCopy } from "./copy_database.ts";

/** A copy that is made while a database is examined; it becomes the backup unless the database changes meanwhile. */
export interface EarlyCopy {
  path: string;
  /** Stamp of the database when it was copied. */
  stamp: string;
  /** The checksum; undefined if the copy failed. */
  made: Promise<string | undefined>;
}

/** The early copies of a run. */
export interface EarlyCopies {
  /** The time when a database is copied: while it is examined, or after it was locked; null if it will not be changed. */
  copying: "early" | "locked" | null;
  readonly earlyCopies: Map<string, EarlyCopy>;
}

/** Disk space for the largest change of a database and a second copy, in sizes of the database. */
const ROOM = 4.5;

/**
 * Starts copying a database that the caller reads in a transaction, so that it cannot change. Only for a large one, for
 * which it saves time, and only with plenty of free space: the run may still be refused. If it is copied after the lock,
 * starts the processes for that, so that other programs wait less.
 */
export async function beginEarlyCopy(
  database: string,
  bytes: number,
  run: HasSettings & Workers & EarlyCopies,
): Promise<void> {
  if (run.copying === null || bytes < LARGE) return;
  const stamp = canCopyEarly(database, bytes, run) ? await exactStamp(database, run) : null;
  if (stamp === null) {
    run.files.start();
    run.hashes.start();
    return;
  }
  const path = temporaryCopy(database, run, "v15");
  // Without progress reports: the operator sees those of the examination. An error will occur again later. In one
  // process, because the check of the pages takes longer than both.
  const made = run.files
    .copy(database, path)
    .then(() => run.files.hash(path))
    .catch(() => undefined);
  run.earlyCopies.set(database, { path, stamp, made });
}

function canCopyEarly(database: string, bytes: number, { copying, settings }: HasSettings & EarlyCopies): boolean {
  const { backup, backupDir, rehearse } = settings;
  if (copying !== "early" || !backup || rehearse) return false;
  const places = [dirname(database), ...(backupDir === null ? [] : [backupDir])];
  return places.every((place) => freeBytes(place) >= bytes * ROOM);
}

/**
 * Passes the copy to the caller, who holds the write lock of the database; undefined if no copy has its present
 * content.
 */
export async function takeEarlyCopy(
  database: string,
  run: Workers & Cleanup & EarlyCopies,
): Promise<{ path: string; sha256: string } | undefined> {
  const copy = run.earlyCopies.get(database);
  if (copy === undefined) return undefined;
  const sha256 = await copy.made;
  if (sha256 === undefined || copy.stamp !== (await exactStamp(database, run))) {
    await dropEarlyCopy(database, run);
    return undefined;
  }
  run.earlyCopies.delete(database);
  return { path: copy.path, sha256 };
}

/** Stops the copying if it is still in progress, and removes the copy. */
export async function dropEarlyCopy(database: string, run: Workers & Cleanup & EarlyCopies): Promise<void> {
  const copy = run.earlyCopies.get(database);
  if (copy === undefined) return;
  run.files.rest();
  await copy.made;
  run.earlyCopies.delete(database);
  run.discard(copy.path);
}

/** In addition to SQLite's counter, detects changes by programs that write without SQLite. */
async function exactStamp(path: string, run: Workers): Promise<string | null> {
  const { ino, mtimeNs } = statSync(path, { bigint: true });
  const stamp = await stampOf(path, run);
  return stamp === null ? null : `${ino} ${mtimeNs} ${stamp}`;
}
