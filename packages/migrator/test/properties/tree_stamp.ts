import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

const SLASH = Buffer.from("/");

/** Everything below a directory, and the directory itself: names in bytes, kinds, modes, owners, times and contents. */
export function treeStamp(path: Buffer, name: Buffer = Buffer.alloc(0)): string[] {
  const found = lstatSync(path, { bigint: true });
  const own = `${name.toString("hex")} ${found.mode} ${found.uid} ${found.gid} ${found.mtimeNs} ${contentOf(path, found)}`;
  if (!found.isDirectory()) return [own];
  const below = readdirSync(path, { encoding: "buffer" }).toSorted(Buffer.compare);
  return [
    own,
    ...below.flatMap((part) => treeStamp(Buffer.concat([path, SLASH, part]), Buffer.concat([name, SLASH, part]))),
  ];
}

function contentOf(path: Buffer, found: BigIntStats): string {
  if (found.isFile()) return readFileSync(path).toString("base64");
  return found.isSymbolicLink() ? readlinkSync(path, { encoding: "buffer" }).toString("hex") : "";
}
