import { type BigIntStats, type Dir, type Dirent, lstatSync, opendirSync } from "node:fs";
import type { Progress, Stage } from "../../core/progress.ts";
import { type EntryName, isPossible, nameFromBytes, pathBelow, listedName } from "./entry_name.ts";

/** Kinds of entries that an archive can hold. */
export type Kind = "file" | "directory" | "link";

/** An entry below a state directory, or the directory itself with an empty name. */
export interface Entry {
  name: EntryName;
  kind: Kind;
  mode: number;
  /** Nanoseconds since 1970. */
  mtimeNs: bigint;
  size: number;
  uid: number;
  gid: number;
  /** Number of hard links, if known. */
  names?: number;
}

/** An entry found by a walk: sockets, pipes and devices are `special`. */
interface Met {
  name: EntryName;
  kind: Kind | "special";
  /** True if it is not part of the states; the walk does not enter it. */
  excluded: boolean;
}

/** True for an entry below a state directory that is not part of the states. */
export type Excludes = (path: string, kind: Kind) => boolean;

/**
 * Walks a directory and everything below it without following links, in the order of the file system: memory use does
 * not depend on the number of entries in a directory.
 *
 * @param excludes True for entries that are not part of the states: databases and files that perdura-migrate made.
 */
export function* walkTree(root: string, excludes: Excludes): Generator<Met, void, undefined> {
  const directories: EntryName[] = [""];
  for (let below = directories.pop(); below !== undefined; below = directories.pop()) {
    const opened = open(root, below);
    if (opened === undefined) continue;
    try {
      for (let found = opened.readSync(); found !== null; found = opened.readSync()) {
        const part = nameFromBytes(found.name as unknown as Buffer);
        const name = below === "" ? part : `${below}/${part}`;
        const kind = kindOf(found);
        const excluded = kind !== "special" && excludes(`${root}/${listedName(name)}`, kind);
        if (kind === "directory" && !excluded) directories.push(name);
        yield { name, kind, excluded };
      }
    } finally {
      opened.closeSync();
    }
  }
}

/** Names as bytes; Node's types declare only text. */
const AS_BYTES = { encoding: "buffer" as BufferEncoding, bufferSize: 256 };

/** Returns undefined for a directory that was removed since it was found. */
function open(root: string, below: EntryName): Dir | undefined {
  try {
    return opendirSync(below === "" ? root : (pathBelow(root, below) as string), AS_BYTES);
  } catch (error) {
    if (below !== "" && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function kindOf(found: Dirent | BigIntStats): Met["kind"] {
  if (found.isFile()) return "file";
  if (found.isDirectory()) return "directory";
  return found.isSymbolicLink() ? "link" : "special";
}

/** Reads the metadata of an entry; undefined if it does not exist, or is of a kind that an archive cannot hold. */
export function entryAt(root: string, name: EntryName): Entry | undefined {
  const found = isPossible(name) ? statsAt(name === "" ? root : pathBelow(root, name)) : undefined;
  const kind = found === undefined ? "special" : kindOf(found);
  if (found === undefined || kind === "special") return undefined;
  const { mode, mtimeNs, size, uid, gid, nlink } = found;
  return {
    name,
    kind,
    mode: Number(mode),
    mtimeNs,
    size: Number(size),
    uid: Number(uid),
    gid: Number(gid),
    names: Number(nlink),
  };
}

/** Returns undefined also if a part of the path is no longer a directory. */
function statsAt(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Reports the number of finished entries; called about every thousand entries. Throws after a request to stop. */
export type Tick = (done: number, total?: number) => Promise<void>;

/** Reports the progress of a stage in entries. */
export function entryTicks(run: Progress, path: string, stage: Stage, detail: string): Tick {
  return (done, total) => run.progress({ path, stage, detail, done, total: total ?? null, unit: "entries" });
}
