import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { HasSettings } from "../core/options.ts";
import type { Cleanup } from "../core/progress.ts";
import { freeBytes } from "./access.ts";
import { LARGE, type Workers } from "./child/workers.ts";
import { copyAsItIs, stampOf, temporaryCopy } from "./copy_database.ts";

/** A copy that is made while a database is examined, and that will be its backup if nobody writes to the database since. */
export interface EarlyCopy {
  path: string;
  /** Of the database as it was copied. */
  stamp: string;
  /** The checksum; undefined where the copy could not be made. */
  made: Promise<string | undefined>;
}

/** What a run knows of early copies. */
export interface EarlyCopies {
  /** True where a database may be copied while it is examined. */
  copiesEarly: boolean;
  readonly earlyCopies: Map<string, EarlyCopy>;
}

/** What the largest change of a database takes on the disk, and the copy once more, in sizes of the database. */
const ROOM = 4.5;

/**
 * Begins to copy a database that the caller reads from within a transaction, so that nobody writes to it. Only a large
 * one, where that saves time, and only where there is plenty of room: what is left to decide may still end in a refusal.
 */
export async function beginEarlyCopy(
  database: string,
  bytes: number,
  run: HasSettings & Workers & EarlyCopies,
): Promise<void> {
  const { backup, backupDir, rehearse } = run.settings;
  if (!run.copiesEarly || !backup || rehearse || bytes < LARGE) return;
  const places = [dirname(database), ...(backupDir === null ? [] : [backupDir])];
  if (places.some((place) => freeBytes(place) < bytes * ROOM)) return;
  const stamp = await exactStamp(database, run);
  if (stamp === null) return;
  const path = temporaryCopy(database, run, "v15");
  // Without a word: it is not what the operator is told about meanwhile. What goes wrong goes wrong again later.
  const made = copyAsItIs(database, path, run).catch(() => undefined);
  run.earlyCopies.set(database, { path, stamp, made });
}

/** Gives the copy to the caller, whose write lock holds the database still; undefined where there is none of its present content. */
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

/** Ends the copying where it goes on, and removes what there is. */
export async function dropEarlyCopy(database: string, run: Workers & Cleanup & EarlyCopies): Promise<void> {
  const copy = run.earlyCopies.get(database);
  if (copy === undefined) return;
  run.files.rest();
  run.hashes.rest();
  await copy.made;
  run.earlyCopies.delete(database);
  run.discard(copy.path);
}

/** Beside what SQLite counts, what a program shows that writes without SQLite. */
async function exactStamp(path: string, run: Workers): Promise<string | null> {
  const { ino, mtimeNs } = statSync(path, { bigint: true });
  const stamp = await stampOf(path, run);
  return stamp === null ? null : `${ino} ${mtimeNs} ${stamp}`;
}
