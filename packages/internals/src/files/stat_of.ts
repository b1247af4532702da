import { type Stats, statSync } from "node:fs";
import { withStorage } from "../errors/storage_errors.ts";

/**
 * What a file is, links followed; undefined where nothing is.
 *
 * @throws StorageError where the operating system does not say.
 */
export function statOf(path: string): Stats | undefined {
  return withStorage(path, "looking at it", () => statSync(path, { throwIfNoEntry: false }));
}
