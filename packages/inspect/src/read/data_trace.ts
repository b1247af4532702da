import { type BigIntStats, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Facts about the files of a database that change with each commit. */
export function databaseTrace(path: string): string {
  return ["", "-wal", "-journal"].map((suffix) => factsOf(`${path}${suffix}`)).join(", ");
}

/** Levels of directories below a target that are looked at for new files. */
const MAX_DEPTH = 4;

/**
 * Facts that change when one of the files changes, or when an entry of a directory below the targets is added, replaced
 * or removed.
 */
export function dataTrace(targets: readonly string[], files: readonly string[]): string {
  const directories = new Set<string>();
  for (const target of targets) addDirectories(target, directories, MAX_DEPTH);
  return [...files.map(databaseTrace), ...[...directories].map(factsOf)].join("\n");
}

function addDirectories(path: string, directories: Set<string>, depth: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  directories.add(path);
  if (depth === 0) return;
  for (const entry of entriesOf(path))
    if (entry.isDirectory()) addDirectories(join(path, entry.name), directories, depth - 1);
}

/** Nothing for a directory that cannot be listed, or that was removed meanwhile: reading the data tells the reason. */
function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function factsOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "-" : facts(found);
}

const facts = ({ mtimeNs, size, ino }: BigIntStats): string => `${mtimeNs} ${size} ${ino}`;
