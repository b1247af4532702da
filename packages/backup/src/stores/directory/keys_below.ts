import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import { unlessMissing } from "./missing.ts";

/** Files below a directory whose keys begin so, in the order of the keys' bytes. What is being written is not there yet. */
export async function keysBelow(root: string, prefix: string): Promise<{ key: string; size: number }[]> {
  const found: { key: string; size: number }[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of (await unlessMissing(readdir(join(root, folder), { withFileTypes: true }))) ?? []) {
      const key = `${folder}${entry.name}`;
      if (isTemporaryName(entry.name) || !mayBegin(key, prefix)) continue;
      // A link leads to what it is; whoever is removed meanwhile is gone.
      const facts = await unlessMissing(stat(join(root, key)));
      if (facts?.isDirectory() === true) await walk(`${key}/`);
      else if (facts?.isFile() === true && key.startsWith(prefix)) found.push({ key, size: facts.size });
    }
  };
  await walk("");
  return found.sort((left, right) => Buffer.compare(Buffer.from(left.key), Buffer.from(right.key)));
}

/** A key that begins with the prefix, or a folder on the way there. */
function mayBegin(key: string, prefix: string): boolean {
  return key.startsWith(prefix) || prefix.startsWith(`${key}/`);
}
