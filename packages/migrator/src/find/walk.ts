import { type Dirent, lstatSync, statfsSync, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";
import { realPathOf } from "@perdura/internals/files/exact_names.js";
import { isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import { entriesIn } from "../io/entries.ts";
import { DATABASE_NAME } from "./classify.ts";
import { hasStateName, judgeDirectory } from "./state_directory.ts";

/** What a search collects, before any file was looked into. */
export interface Finds {
  /** Files that may be databases; whether they lie inside a state directory, and whether the caller named the file itself. */
  candidates: Map<string, { inStates: boolean; isTarget: boolean }>;
  /** Links that lead out of the tree to a file. */
  outwardLinks: string[];
  /** Directories of which the operator says that they hold states, by their real paths. */
  named: ReadonlySet<string>;
  stateDirectories: Set<string>;
  /** Directories that a run made and has not removed yet, or was cut off before it could. */
  leftovers: string[];
  leftAlone: { path: string; reason: string }[];
  refused: { path: string; reason: string }[];
}

/** Collects the files and state directories below `directory`, links not followed. */
export function walk(directory: string, finds: Finds, root: string = directory, depth = 0, inStates = false): void {
  const found = lookInto(directory, finds, root, inStates);
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
  root: string,
  inStates: boolean,
): { isState: boolean; entries: Dirent[] } | undefined {
  try {
    const { isState, doubt } = finds.named.has(directory)
      ? { isState: true, doubt: null }
      : judgeDirectory(directory, inStates);
    if (doubt !== null) finds.leftAlone.push({ path: directory, reason: doubt });
    // States by the hundred thousand; none is a database, and none is opened for its header.
    const isLeftOut = (entry: Dirent): boolean =>
      (inStates || isState) && entry.isFile() && entry.name.endsWith(".json");
    const entries: Dirent[] = [];
    for (const entry of entriesIn(directory)) if (!isLeftOut(entry)) entries.push(entry);
    return { isState, entries: entries.toSorted(byName) };
  } catch (error) {
    // Gone since the directory around it was listed. A name that is not UTF-8 only seems to be gone.
    const isGone = (error as NodeJS.ErrnoException).code === "ENOENT" && !directory.includes("\ufffd");
    if (isGone && directory !== root) return undefined;
    finds.refused.push({ path: directory, reason: `It cannot be read: ${(error as Error).message}.` });
    return undefined;
  }
}

function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1;
}

function addFile(path: string, finds: Finds, inStates: boolean): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    // A database is never called so. Any other file is gone since the directory was listed.
    if (isUnnameable(path)) finds.leftAlone.push({ path, reason: "its name is not valid UTF-8" });
  } else addCandidate(path, finds, inStates);
}

/** A name that is not UTF-8 cannot be named back to the system, so that nothing seems to be there. */
function isUnnameable(path: string): boolean {
  return path.includes("\ufffd") && lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

/** Another target may have led to the file already, from inside the states. */
export function addCandidate(path: string, { candidates }: Finds, inStates: boolean, isTarget = false): void {
  const known = candidates.get(path);
  candidates.set(path, {
    inStates: inStates || known?.inStates === true,
    isTarget: isTarget || known?.isTarget === true,
  });
}

/** Deepest directory below a target that is searched; below a state directory there is no end. */
const MAX_DEPTH = 4;

const SKIPPED = new Set(["node_modules", ".git"]);

function descend(path: string, name: string, finds: Finds, root: string, depth: number, inStates: boolean): void {
  if (isTemporaryName(name)) finds.leftovers.push(path);
  else if (inStates) {
    // Whatever is not found here would be archived as part of the states. What cannot be named is part of them.
    if (!isUnnameable(path)) walk(path, finds, root, depth + 1, inStates);
  } else if (SKIPPED.has(name)) finds.leftAlone.push({ path, reason: "not searched" });
  else if (isOfKernel(path))
    finds.leftAlone.push({ path, reason: "not searched: what lies there are no files, but what the system tells" });
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

/** File systems of Linux that hold no data of anybody; to read some of their files waits forever, or does something. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x9f_a0, // proc
  0x62_65_65_72, // sysfs
  0x64_62_67_20, // debugfs
  0x74_72_61_63, // tracefs
  0x73_63_66_73, // securityfs
  0x27_e0_eb, // cgroup
  0x63_67_72_70, // cgroup2
  0x62_65_65_70, // configfs
  0xca_fe_4a_11, // bpf
]);

/** True for a directory in which the kernel answers instead of a disk. */
function isOfKernel(path: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    return KERNEL_FILE_SYSTEMS.has(statfsSync(path).type);
  } catch {
    // Why it cannot be looked into is said when it is.
    return false;
  }
}
