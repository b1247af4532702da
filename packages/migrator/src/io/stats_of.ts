import { type Stats, statSync } from "node:fs";

/** Facts about a path; undefined if it cannot be looked at, for any reason: the search for data tells it. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
