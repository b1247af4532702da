import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";
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
  leftAlone: { path: string; reason: string }[];
  refused: { path: string; reason: string }[];
}

/** Collects the files and state directories below `directory`, links not followed. */
export function walk(directory: string, finds: Finds, root: string = directory, depth = 0, inStates = false): void {
  const entries = entriesOf(directory, finds);
  if (entries === undefined) return;
  const isState = isStateDirectory(directory, inStates);
  if (isState) finds.stateDirectories.add(directory);
  const within = inStates || isState;
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink()) followNot(path, finds, root, within);
    else if (entry.isDirectory()) descend(path, entry.name, finds, root, depth, within);
    else if (entry.isFile()) addFile(path, finds, within);
    else finds.leftAlone.push({ path, reason: "neither a file nor a directory" });
  }
}

/** What cannot be looked into may hold data, so it is not passed over. */
function entriesOf(directory: string, finds: Finds): Dirent[] | undefined {
  try {
    return readdirSync(directory, { withFileTypes: true }).toSorted(byName);
  } catch (error) {
    finds.refused.push({ path: directory, reason: `It cannot be read: ${(error as Error).message}.` });
    return undefined;
  }
}

function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1;
}

function addFile(path: string, finds: Finds, inStates: boolean): void {
  // States by the hundred thousand; none is a database, and none is opened for its header.
  if (inStates && path.endsWith(".json")) return;
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    // A name that is not UTF-8 cannot be named back to the system; a database is never called so. Any other file is gone
    // since the directory was listed.
    if (path.includes("\ufffd")) finds.leftAlone.push({ path, reason: "its name is not valid UTF-8" });
  } else if (!finds.candidates.has(path)) finds.candidates.set(path, { inStates });
}

function descend(path: string, name: string, finds: Finds, root: string, depth: number, inStates: boolean): void {
  if (SKIPPED.has(name)) finds.leftAlone.push({ path, reason: "not searched" });
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
  else if (found.isDirectory() && hasStateName(path))
    finds.refused.push({
      path,
      reason: `A symbolic link to a directory of states outside the target. Name ${real} as a target, or remove the link.`,
    });
  else if (!inStates)
    finds.leftAlone.push({ path, reason: "a symbolic link that leads out of the target; not followed" });
}

/** Undefined for a link that leads nowhere, in a circle, or where this user may not go. */
function targetOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
