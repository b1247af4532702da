import { hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * A directory and everything below it with modes, owners, times to the nanosecond and contents, names as bytes: equal
 * text means that nothing changed.
 */
export function treeStamp(root: string): string {
  return stampsOf(Buffer.from(root), "").join("\n");
}

function stampsOf(path: Buffer, name: string): string[] {
  const found = lstatSync(path, { bigint: true });
  const stamp = `${name} ${found.mode.toString(8)} ${found.mtimeNs} ${found.uid} ${found.gid}`;
  if (found.isSymbolicLink()) return [`${stamp} ${readlinkSync(path, "hex")}`];
  if (found.isFile()) return [`${stamp} ${hash("sha256", readFileSync(path))}`];
  const parts = readdirSync(path, { encoding: "buffer" }).toSorted(Buffer.compare);
  return [
    stamp,
    ...parts.flatMap((part) =>
      stampsOf(Buffer.concat([path, Buffer.from("/"), part]), `${name}/${part.toString("latin1")}`),
    ),
  ];
}
