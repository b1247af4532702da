import type { Cleanup, HasSettings, Progress } from "../core/run.ts";
import { dirname, join } from "node:path";
import type { Discovery } from "../core/discovery.ts";
import { finishLeftovers } from "../archive/prune/leftovers.ts";
import type { Dirent } from "node:fs";
import { isAbandoned, TEMPORARY_SUFFIX } from "@perdura/internals/files/temporary_names.js";
import { entriesIn } from "../io/entries.ts";

/** Wherever a run may have been writing when it was killed. */
function placesOf({ databases, stateDirectories, leftovers, home }: Discovery, { settings }: HasSettings): Set<string> {
  const besides = [...databases.map(({ path }) => path), ...stateDirectories, ...leftovers].map((path) =>
    dirname(path),
  );
  return new Set([home, ...besides, ...(settings.backupDir === null ? [] : [settings.backupDir])]);
}

/**
 * Removes what runs that were killed left unfinished.
 *
 * @returns State directories that are there again because of that.
 */
export async function tidy(discovery: Discovery, run: Progress & HasSettings & Cleanup): Promise<string[]> {
  const places = placesOf(discovery, run);
  for (const place of places) removeUnfinished(place, run);
  return finishLeftovers(places, run);
}

const SIDE_FILE = /-(?:journal|wal|shm)$/;

/** Removes what a run that was killed left unfinished in a directory: copies without a name, and SQLite's files beside them. */
function removeUnfinished(directory: string, run: Cleanup): void {
  const names: string[] = [];
  for (const entry of entriesIn(directory)) if (isOurs(entry)) names.push(entry.name);
  for (const name of names) {
    const copy = name.replace(SIDE_FILE, "");
    if (isAbandoned(join(directory, name), copy)) run.discard(join(directory, copy));
  }
}

/** Directories are for `finishLeftovers`, which looks into them first. */
function isOurs(entry: Dirent): boolean {
  return !entry.isDirectory() && entry.name.includes(TEMPORARY_SUFFIX);
}
