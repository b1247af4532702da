import { type Dirent, lstatSync, readdirSync, statfsSync, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";
import { realPathOf } from "@perdura/internals/files/exact_names.js";
import { isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import { nameFromBytes, shownName } from "../archive/tree/entry_name.ts";
import { entriesIn } from "../io/entries.ts";
import { DATABASE_NAME } from "./classify.ts";
import { hasStateName, judgeDirectory } from "./state_directory.ts";

/** Results of a search, before any file is read. */
export interface Finds {
  /** Files that may be databases; with flags for files in a state directory and for files that the caller named. */
  candidates: Map<string, { inStates: boolean; isTarget: boolean }>;
  /** Links out of the tree to a file. */
  outwardLinks: string[];
  /** Directories that the operator declared to contain states, by their real paths. */
  named: ReadonlySet<string>;
  stateDirectories: Set<string>;
  /** Temporary directories of a run that is active or was interrupted. */
  leftovers: string[];
  leftAlone: { path: string; reason: string }[];
  refused: { path: string; reason: string }[];
}

/** Collects the files and state directories below `directory` without following links. */
export function walk(directory: string, finds: Finds, root: string = directory, depth = 0, inStates = false): void {
  const found = listDirectory(directory, finds, root, inStates);
  if (found === undefined) return;
  if (found.isState) finds.stateDirectories.add(directory);
  const within = inStates || found.isState;
  const unnameable = new Set<string>();
  for (const entry of found.entries) {
    const path = join(directory, entry.name);
    if (isUnnameable(path)) unnameable.add(entry.name);
    else if (entry.isSymbolicLink()) reportLink(path, finds, root, within);
    else if (entry.isDirectory()) descend(path, entry.name, finds, root, depth, within);
    else if (entry.isFile()) addFile(path, finds, within);
    else finds.leftAlone.push({ path, reason: "neither a file nor a directory" });
  }
  // Among states, entries are archived under the bytes of their names.
  if (unnameable.size > 0 && !within) leaveUnnameable(directory, unnameable, finds);
}

/** An unreadable directory may contain data, so it is not skipped. */
function listDirectory(
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
    // There may be hundreds of thousands of states; none is a database, so their headers are not read.
    const isLeftOut = (entry: Dirent): boolean =>
      (inStates || isState) && entry.isFile() && entry.name.endsWith(".json");
    const entries: Dirent[] = [];
    for (const entry of entriesIn(directory)) if (!isLeftOut(entry)) entries.push(entry);
    return { isState, entries: entries.toSorted(byName) };
  } catch (error) {
    // Removed since its parent was listed.
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && directory !== root) return undefined;
    finds.refused.push({ path: directory, reason: `Cannot read the directory: ${(error as Error).message}.` });
    return undefined;
  }
}

function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1;
}

/** Any other missing file was removed since the directory was listed. */
function addFile(path: string, finds: Finds, inStates: boolean): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) addCandidate(path, finds, inStates);
}

/** A name that is not UTF-8 cannot be passed back to the system, so the entry seems to be missing. */
export function isUnnameable(path: string): boolean {
  return path.includes("\ufffd") && lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

/** Reports entries with the bytes of their names; several can have the same name as text. */
function leaveUnnameable(directory: string, names: ReadonlySet<string>, finds: Finds): void {
  for (const bytes of readdirSync(directory, "buffer"))
    if (names.has(bytes.toString()))
      finds.leftAlone.push({ path: join(directory, shownName(nameFromBytes(bytes))), reason: UNNAMEABLE });
}

const UNNAMEABLE =
  "its name is not valid UTF-8, so it cannot be read; if it contains data, rename it, then run this command again";

/** Another target may already contain the file, possibly within a state directory. */
export function addCandidate(path: string, { candidates }: Finds, inStates: boolean, isTarget = false): void {
  const known = candidates.get(path);
  candidates.set(path, {
    inStates: inStates || known?.inStates === true,
    isTarget: isTarget || known?.isTarget === true,
  });
}

/** Maximum depth of the search below a target; unlimited within a state directory. */
const MAX_DEPTH = 4;

const SKIPPED = new Set(["node_modules", ".git"]);

function descend(path: string, name: string, finds: Finds, root: string, depth: number, inStates: boolean): void {
  if (isTemporaryName(name)) finds.leftovers.push(path);
  else if (inStates) {
    // Everything that is not found here would be archived as part of the states.
    walk(path, finds, root, depth + 1, inStates);
  } else if (SKIPPED.has(name)) finds.leftAlone.push({ path, reason: "not searched" });
  else if (isOfKernel(path)) finds.leftAlone.push({ path, reason: "not searched: a file system of the kernel" });
  else if (depth >= MAX_DEPTH)
    finds.leftAlone.push({
      path,
      reason: `not searched: more than ${MAX_DEPTH} levels below the target; specify it as a target`,
    });
  else walk(path, finds, root, depth + 1, inStates);
}

/**
 * A link within the tree leads to a file that is found anyway. One out of the tree may lead to data: the operator
 * decides.
 */
function reportLink(path: string, finds: Finds, root: string, inStates: boolean): void {
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
      reason: `A symbolic link to a state directory outside the target. Specify ${real} as a target, or remove the link.`,
    });
  else if (!inStates) {
    if (stats.isDirectory()) finds.outwardLinks.push(...databasesIn(path));
    finds.leftAlone.push({ path, reason: "a symbolic link that points outside the target; not followed" });
  }
}

/**
 * Destination of a link; a reason if it cannot be determined, for example for a cycle, or for a socket without a name.
 */
function targetOf(path: string): { real: string; stats: Stats } | string {
  try {
    const stats = statSync(path);
    return { real: realPathOf(path), stats };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT"
      ? "a dangling symbolic link"
      : `a symbolic link that cannot be followed: ${(error as Error).message}`;
  }
}

/** Checks only the direct content of the directory that a link leads to; an unreadable one is ignored. */
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

/** Linux file systems that contain no user data; reading some of their files blocks forever, or has side effects. */
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

/** True for a directory whose content the kernel generates. */
function isOfKernel(path: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    return KERNEL_FILE_SYSTEMS.has(statfsSync(path).type);
  } catch {
    // The search itself will report why it is unreadable.
    return false;
  }
}
