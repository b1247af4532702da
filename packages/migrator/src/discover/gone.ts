import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { numberedFiles } from "../placing/numbered_files.ts";
import { ARCHIVE_SUFFIX } from "./own_files.ts";
import { realPathOf } from "./real_path.ts";

/** A circle of links has no end. */
const MAX_LINKS = 40;

/** A state directory that is not there any more, and what there is of it. */
export interface GoneStates {
  /** Where it was, by its real path. */
  directory: string;
  archives: string[];
}

/** The real path of what a path stands for, links followed, also where nothing is there any more; undefined where there is not even a directory that it could lie in. */
export function placeOf(path: string): string | undefined {
  try {
    let at = resolve(path);
    for (let links = 0; links < MAX_LINKS; links += 1) {
      const parent = realPathOf(dirname(at));
      const place = join(parent, basename(at));
      if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return place;
      at = resolve(parent, readlinkSync(place));
    }
  } catch {
    // What cannot be looked into cannot be told from what is not there; the caller says that it found nothing.
  }
  return undefined;
}

/** A state directory that is gone, as after `prune`, while its archive lies beside its place; undefined for all else. */
export function goneStates(path: string): GoneStates | undefined {
  const directory = placeOf(path);
  if (directory === undefined || lstatSync(directory, { throwIfNoEntry: false }) !== undefined) return undefined;
  const archives = numberedFiles(`${directory}.v15`, ARCHIVE_SUFFIX);
  return archives.length === 0 ? undefined : { directory, archives };
}
