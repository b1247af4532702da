import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { realPathOf } from "./exact_names.ts";

/** A circle of links has no end. */
const MAX_LINKS = 40;

/**
 * Returns the real path of a file, links followed, also where no file is there (any more); undefined where there is not
 * even a directory that it could lie in.
 */
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
    // A path that cannot be looked into is the same as none here; what opens it says why.
  }
  return undefined;
}
