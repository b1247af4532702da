import type { Dirent } from "node:fs";
import { dirname, join } from "node:path";
import { isAbandoned, TEMPORARY_SUFFIX } from "@perdura/internals/files/temporary_names.js";
import { finishLeftovers } from "../archive/prune/leftovers.ts";
import type { Discovery } from "../core/discovery.ts";
import type { HasSettings } from "../core/options.ts";
import type { Cleanup, Progress } from "../core/progress.ts";
import { entriesIn } from "../io/entries.ts";

/**
 * Removes the remains of killed runs.
 *
 * @returns State directories that were renamed back.
 */
export async function tidy(discovery: Discovery, run: Progress & HasSettings & Cleanup): Promise<string[]> {
  const places = placesOf(discovery, run);
  for (const place of places) removeUnfinished(place, run);
  return finishLeftovers(places, run);
}

/** Directories in which a killed run may have written. */
function placesOf({ databases, stateDirectories, leftovers, home }: Discovery, { settings }: HasSettings): Set<string> {
  const besides = [...databases.map(({ path }) => path), ...stateDirectories, ...leftovers].map((path) =>
    dirname(path),
  );
  return new Set([home, ...besides, ...(settings.backupDir === null ? [] : [settings.backupDir])]);
}

const SIDE_FILE = /-(?:journal|wal|shm)$/;

/** Removes the remains of a killed run in a directory: temporary copies, and SQLite's files next to them. */
function removeUnfinished(directory: string, run: Cleanup): void {
  const names: string[] = [];
  for (const entry of entriesIn(directory)) if (isOurs(entry)) names.push(entry.name);
  for (const name of names) {
    const copy = name.replace(SIDE_FILE, "");
    if (isAbandoned(join(directory, name), copy)) run.discard(join(directory, copy));
  }
}

/** Directories need `finishLeftovers`, which reads them first. */
function isOurs(entry: Dirent): boolean {
  return !entry.isDirectory() && entry.name.includes(TEMPORARY_SUFFIX);
}
