import { type BigIntStats, type Dir, type Dirent, lstatSync, opendirSync } from "node:fs";
import type { Progress, Stage } from "../../core/progress.ts";
import { type EntryName, nameFromBytes, pathBelow, shownName } from "../format/entry_name.ts";

/** What an archive can hold. */
export type Kind = "file" | "directory" | "link";

/** One thing below a state directory, or the directory itself under an empty name. */
export interface Entry {
  name: EntryName;
  kind: Kind;
  mode: number;
  /** Nanoseconds since 1970. */
  mtimeNs: bigint;
  size: number;
  uid: number;
  gid: number;
  /** How many names it has, where that is known. */
  names?: number;
}

/** Something that was met below a directory: sockets, pipes and devices are `special`. */
interface Met {
  name: EntryName;
  kind: Kind | "special";
  /** It is no part of the states; what lies below it is not met. */
  excluded: boolean;
}

/** True for what lies below a state directory and is no part of the states. */
export type Excludes = (path: string, kind: Kind) => boolean;

/**
 * Goes through a directory and everything below it, links not followed, in the order of the file system: a directory
 * with millions of entries takes no memory.
 *
 * @param excludes Says what does not belong to the states: databases and what perdura-migrate made.
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
        const excluded = kind !== "special" && excludes(`${root}/${shownName(name)}`, kind);
        if (kind === "directory" && !excluded) directories.push(name);
        yield { name, kind, excluded };
      }
    } finally {
      opened.closeSync();
    }
  }
}

/** Names as bytes; the types of Node know only of text. */
const AS_BYTES = { encoding: "buffer" as BufferEncoding, bufferSize: 256 };

/** Undefined for a directory that is gone since it was met. */
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

/** What the file system says of an entry now; undefined for one that is gone, or is nothing that an archive can hold. */
export function entryAt(root: string, name: EntryName): Entry | undefined {
  const found = statsAt(name === "" ? root : pathBelow(root, name));
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

/** Undefined also where a part of the path is a directory no more. */
function statsAt(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Says how many entries are done; called about every thousand of them. A request to stop arrives here. */
export type Tick = (done: number, total?: number) => Promise<void>;

/** Progress of a stage in entries. */
export function entryTicks(run: Progress, path: string, stage: Stage, detail: string): Tick {
  return (done, total) => run.progress({ path, stage, detail, done, total: total ?? null, unit: "entries" });
}
