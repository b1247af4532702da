import { realpathSync } from "node:fs";
import { listedPath } from "@perdura/internals/files/exact_names.js";

/**
 * The path of an existing file with links followed and each name as its directory lists it. `realpath` alone gives back
 * `METRICS.DB` for `metrics.db` on Linux where the file system ignores case, and backups would have that name.
 */
export function realPathOf(path: string): string {
  return listedPath(realpathSync(path));
}
