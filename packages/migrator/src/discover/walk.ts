import { type Dirent, lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";
import { isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import { DATABASE_NAME } from "./classify.ts";
import { entriesIn } from "./entries.ts";
import { hasStateName, isStateDirectory } from "./state_directory.ts";

/** Deepest directory below a target that is searched. */
const MAX_DEPTH = 4;

const SKIPPED = new Set(["node_modules", ".git"]);

/** What a search collects, before any file was looked into. */
export interface Finds {
  /** Files that may be databases; whether they lie inside a state directory. */
  candidates: Map<string, { inStates: boolean }>;
  /** Links that lead out of the tree to a file. */
  outwardLinks: string[];
  stateDirectories: Set<string>;
  /** Directories that a run made and has not removed yet, or was cut off before it could. */
  leftovers: string[];
  leftAlone: { path: string; reason: string }[];
  refused: { path: string; reason: string }[];
}

/** Collects the files and state directories below `directory`, links not followed. */
export function walk(directory: string, finds: Finds, root: string = directory, depth = 0, inStates = false): void {
  const found = lookInto(directory, finds, inStates);
  if (found === undefined) return;
  if (found.isState) finds.stateDirectories.add(directory);
  const within = inStates || found.isState;
  for (const entry of found.entries) {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink()) followNot(path, finds, root, within);
    else if (entry.isDirectory()) descend(path, entry.name, finds, root, depth, within);
    else if (entry.isFile()) addFile(path, finds, within);
    else finds.leftAlone.push({ path, reason: "neither a file nor a directory" });
  }
}

/** What cannot be looked into may hold data, so it is not passed over. */
function lookInto(
  directory: string,
  finds: Finds,
  inStates: boolean,
): { isState: boolean; entries: Dirent[] } | undefined {
  try {
    const isState = isStateDirectory(directory, inStates);
    // States by the hundred thousand; none is a database, and none is opened for its header.
    const isLeftOut = (entry: Dirent): boolean =>
      (inStates || isState) && entry.isFile() && entry.name.endsWith(".json");
    const entries: Dirent[] = [];
    for (const entry of entriesIn(directory)) if (!isLeftOut(entry)) entries.push(entry);
    return { isState, entries: entries.toSorted(byName) };
  } catch (error) {
    finds.refused.push({ path: directory, reason: `It cannot be read: ${(error as Error).message}.` });
    return undefined;
  }
}

function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1;
}

/** A name that is not UTF-8 cannot be named back to the system, so that nothing seems to be there. */
function isUnnameable(path: string): boolean {
  return path.includes("\ufffd") && lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

function addFile(path: string, finds: Finds, inStates: boolean): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    // A database is never called so. Any other file is gone since the directory was listed.
    if (isUnnameable(path)) finds.leftAlone.push({ path, reason: "its name is not valid UTF-8" });
  } else if (!finds.candidates.has(path)) finds.candidates.set(path, { inStates });
}

function descend(path: string, name: string, finds: Finds, root: string, depth: number, inStates: boolean): void {
  if (isTemporaryName(name)) finds.leftovers.push(path);
  else if (SKIPPED.has(name)) finds.leftAlone.push({ path, reason: "not searched" });
  // Part of the states around it, whose names are read as bytes.
  else if (inStates && isUnnameable(path)) return;
  else if (depth >= MAX_DEPTH)
    finds.leftAlone.push({
      path,
      reason: `not searched: more than ${MAX_DEPTH} levels down; name it as a target of its own`,
    });
  else walk(path, finds, root, depth + 1, inStates);
}

/** A link inside the tree leads to what is found anyway. One that leads out may hide data: that is for the operator to say. */
function followNot(path: string, finds: Finds, root: string, inStates: boolean): void {
  const found = targetOf(path);
  if (found === undefined) {
    if (!inStates) finds.leftAlone.push({ path, reason: "a symbolic link that leads nowhere" });
    return;
  }
  const real = realpathSync(path);
  if (`${real}${sep}`.startsWith(`${root}${sep}`)) return;
  if (found.isFile()) finds.outwardLinks.push(path);
  else if (found.isDirectory() && (hasStateName(path) || (!inStates && holdsStates(real))))
    finds.refused.push({
      path,
      reason: `A symbolic link to a directory of states outside the target. Name ${real} as a target, or remove the link.`,
    });
  else if (!inStates) {
    if (found.isDirectory()) finds.outwardLinks.push(...databasesIn(path));
    finds.leftAlone.push({ path, reason: "a symbolic link that leads out of the target; not followed" });
  }
}

/** A look at what lies directly in the directory that a link leads to; what cannot be read is not ours to look into. */
function holdsStates(directory: string): boolean {
  try {
    return isStateDirectory(directory, false);
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

/** Undefined for a link that leads nowhere, in a circle, or where this user may not go. */
function targetOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
