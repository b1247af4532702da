import type { Stats } from "node:fs";

/** The kind of an entry that is not a regular file, in words; undefined for a regular file. */
export function irregularKind(found: Pick<Stats, "isFile" | "isDirectory">): string | undefined {
  if (found.isFile()) return undefined;
  return found.isDirectory() ? "a directory" : "a pipe, socket or device";
}
