import { type Stats, statSync } from "node:fs";
import { withStorage } from "./storage_errors.ts";

/**
 * The `stat` of a path, with links followed; undefined if the path does not exist.
 *
 * @throws StorageError if the operating system reports another error.
 */
export function statOf(path: string): Stats | undefined {
  return withStorage(path, "looking at it", () => statSync(path, { throwIfNoEntry: false }));
}
