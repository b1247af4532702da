import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** One thing below a state directory. */
export interface TreeEntry {
  /** Path below the directory with `/` between parts, in the bytes that the file system has: names need not be UTF-8. */
  name: Buffer;
  kind: "file" | "directory" | "link";
  mode: number;
  mtimeNs: bigint;
  size: number;
  /** Gives the content where it is not read from the directory. */
  load?: () => Buffer | null;
}

/** Everything below a directory in a fixed order, links not followed. */
export interface Tree {
  root: string;
  entries: TreeEntry[];
  /** Sockets, pipes and devices, which no archive can hold. */
  special: string[];
}

/** True for what lies below a state directory and is no part of the states. */
export type Excludes = (path: string, kind: TreeEntry["kind"]) => boolean;

const SLASH = Buffer.from("/");

/**
 * Lists a directory in one pass.
 *
 * @param excludes Says what does not belong to the states: databases and what perdura-migrate made.
 */
export function listTree(root: string, excludes: Excludes): Tree {
  const tree: Tree = { root, entries: [], special: [] };
  listInto(tree, Buffer.alloc(0), excludes);
  return tree;
}

function listInto(tree: Tree, below: Buffer, excludes: Excludes): void {
  const names = readdirSync(pathOf(tree.root, below), { encoding: "buffer" }).toSorted(Buffer.compare);
  for (const part of names) {
    const name = below.length === 0 ? part : Buffer.concat([below, SLASH, part]);
    const found = lstatSync(pathOf(tree.root, name), { bigint: true, throwIfNoEntry: false });
    // Gone since the directory was listed, as the temporary file of a writer is.
    if (found === undefined) continue;
    const kind = kindOf(found);
    if (kind !== undefined && excludes(join(tree.root, name.toString("utf8")), kind)) continue;
    if (kind === undefined) tree.special.push(name.toString("utf8"));
    else tree.entries.push({ name, kind, mode: Number(found.mode), mtimeNs: found.mtimeNs, size: Number(found.size) });
    if (kind === "directory") listInto(tree, name, excludes);
  }
}

function kindOf(found: BigIntStats): TreeEntry["kind"] | undefined {
  if (found.isFile()) return "file";
  if (found.isDirectory()) return "directory";
  return found.isSymbolicLink() ? "link" : undefined;
}

/** The path of an entry, in bytes. */
function pathOf(root: string, name: Buffer): Buffer {
  return name.length === 0 ? Buffer.from(root) : Buffer.concat([Buffer.from(root), SLASH, name]);
}

/** What an entry holds: the bytes of a file, the target of a link, nothing of a directory. */
export function contentOf(root: string, { name, kind, load }: TreeEntry): Buffer | null {
  if (load !== undefined) return load();
  if (kind === "directory") return null;
  return kind === "file" ? readFileSync(pathOf(root, name)) : readlinkSync(pathOf(root, name), { encoding: "buffer" });
}
