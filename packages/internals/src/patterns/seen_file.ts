import { type FileVersion, versionAt } from "../files/file_version.ts";
import { placeOf } from "../files/place_of.ts";
import { rememberUse } from "./known_use.ts";
import type { PatternLibrary } from "./library.ts";

/** See `known_use.ts`. */
const SEEN: unique symbol = Symbol.for("perdura.seen_files") as never;

interface Seeing {
  [SEEN]?: Map<string, FileVersion>;
}

/** Notes the file that a library was loaded from or saved to. */
export function rememberFile(library: PatternLibrary, filepath: string, version: FileVersion | undefined): void {
  const place = placeOf(filepath);
  if (version === undefined || place === undefined) return;
  const seeing = library as Seeing;
  if (seeing[SEEN] === undefined) Object.defineProperty(library, SEEN, { value: new Map<string, FileVersion>() });
  seeing[SEEN]?.set(place, version);
  rememberUse(library, place);
}

/** True if another program has saved a file since a library was loaded from it or saved to it. */
export function isSavedSince(library: PatternLibrary, filepath: string): boolean {
  const place = placeOf(filepath);
  const seen = place === undefined ? undefined : (library as Seeing)[SEEN]?.get(place);
  if (seen === undefined) return false;
  const version = versionAt(filepath);
  return version !== undefined && version !== seen;
}
