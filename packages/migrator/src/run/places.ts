import type { Cleanup, HasSettings, Progress } from "../core/run.ts";
import { dirname } from "node:path";
import { removeUnfinished } from "../databases/clean_up.ts";
import type { Discovery } from "../core/discovery.ts";
import { finishLeftovers } from "../archive/prune/leftovers.ts";

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
