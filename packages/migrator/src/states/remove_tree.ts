import { chmodSync, lstatSync, opendirSync, rmdirSync, unlinkSync } from "node:fs";
import { type EntryName, nameFromBytes, pathBelow } from "./entry_name.ts";

/**
 * Removes a directory and everything in it, links not followed; nothing where there is none. Takes no memory for a
 * directory with millions of entries, and passes directories that may not be written to.
 */
export function removeTree(root: string): void {
  if (lstatSync(root, { throwIfNoEntry: false }) === undefined) return;
  const open: EntryName[] = [""];
  for (let name = open.at(-1); name !== undefined; name = open.at(-1)) {
    const path = name === "" ? root : pathBelow(root, name);
    const found = emptied(root, name, path);
    if (typeof found === "string") open.push(found);
    else if (found === 0) {
      rmdirSync(path);
      open.pop();
    }
  }
}

const AS_BYTES = { encoding: "buffer" as BufferEncoding };

/**
 * Removes the files in a directory. Returns a directory that it met, or how many files there were: some systems pass over
 * names while others are removed, so only a directory in which none was met is empty.
 */
function emptied(root: string, name: EntryName, path: string | Buffer): EntryName | number {
  if ((lstatSync(path).mode & 0o700) !== 0o700) chmodSync(path, 0o700);
  const directory = opendirSync(path as string, AS_BYTES);
  let removed = 0;
  try {
    for (let found = directory.readSync(); found !== null; found = directory.readSync()) {
      const part = nameFromBytes(found.name as unknown as Buffer);
      const inner = name === "" ? part : `${name}/${part}`;
      if (found.isDirectory()) return inner;
      unlinkSync(pathBelow(root, inner));
      removed += 1;
    }
    return removed;
  } finally {
    directory.closeSync();
  }
}
