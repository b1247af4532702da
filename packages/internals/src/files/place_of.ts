import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { realPathOf } from "./exact_names.ts";

/** Maximum number of links to follow, because links may form a cycle. */
const MAX_LINKS = 40;

/**
 * The real path of a file with links followed, also if the file does not exist (any more). Undefined if its directory
 * does not exist.
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
    // An unreadable path counts as missing here; opening it reports the reason.
  }
  return undefined;
}
