import { type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";
import { realPathOf } from "@perdura/internals/files/exact_names.js";
import { DATABASE_NAME } from "./unreadable.ts";
import { entriesIn } from "../io/entries.ts";
import { hasStateName, judgeDirectory } from "./state_directory.ts";
import type { Finds } from "./walk.ts";

/** A link inside the tree leads to what is found anyway. One that leads out may hide data: that is for the operator to say. */
export function followNot(path: string, finds: Finds, root: string, inStates: boolean): void {
  const found = targetOf(path);
  if (typeof found === "string") {
    if (!inStates) finds.leftAlone.push({ path, reason: found });
    return;
  }
  const { real, stats } = found;
  if (`${real}${sep}`.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return;
  if (stats.isFile()) finds.outwardLinks.push(path);
  else if (stats.isDirectory() && (hasStateName(path) || (!inStates && holdsStates(real))))
    finds.refused.push({
      path,
      reason: `A symbolic link to a directory of states outside the target. Name ${real} as a target, or remove the link.`,
    });
  else if (!inStates) {
    if (stats.isDirectory()) finds.outwardLinks.push(...databasesIn(path));
    finds.leftAlone.push({ path, reason: "a symbolic link that leads out of the target; not followed" });
  }
}

/** What a link leads to; in words where that cannot be said, as of a link in a circle, or to a socket that has no name. */
function targetOf(path: string): { real: string; stats: Stats } | string {
  try {
    const stats = statSync(path);
    return { real: realPathOf(path), stats };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT"
      ? "a symbolic link that leads nowhere"
      : `a symbolic link that cannot be followed: ${(error as Error).message}`;
  }
}

/** A look at what lies directly in the directory that a link leads to; what cannot be read is not ours to look into. */
function holdsStates(directory: string): boolean {
  try {
    return judgeDirectory(directory, false).isState;
  } catch {
    return false;
  }
}

function databasesIn(directory: string): string[] {
  try {
    return [...entriesIn(directory)]
      .filter((entry) => entry.isFile() && DATABASE_NAME.test(entry.name))
      .map((entry) => join(directory, entry.name))
      .toSorted();
  } catch {
    return [];
  }
}
