import { hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Everything below a directory by name, with mode, time, owners and content: equal maps mean that nothing changed. Names
 * need not be UTF-8: each byte is shown as one character.
 *
 * @param times False to leave out times and owners.
 */
export function stampsOf(directory: string, times = true): Map<string, string> {
  return new Map(stampsBelow(Buffer.from(directory), "", times));
}

/** The stamps as text. */
export function stampOf(directory: string): string {
  return [...stampsOf(directory)].map((line) => line.join(" ")).join("\n");
}

/** The same, after a line for the directory itself; for another kind of file only that line. */
export function treeStamp(directory: string): string {
  if (!lstatSync(directory).isDirectory()) return stampOfEntry(Buffer.from(directory), true);
  return [` ${stampOfEntry(Buffer.from(directory), true)}`, stampOf(directory)]
    .filter((text) => text !== "")
    .join("\n");
}

function stampsBelow(directory: Buffer, prefix: string, times: boolean): [string, string][] {
  return readdirSync(directory, { encoding: "buffer" })
    .toSorted(Buffer.compare)
    .flatMap((part) => {
      const [path, name] = [Buffer.concat([directory, Buffer.from("/"), part]), prefix + part.toString("latin1")];
      const own: [string, string] = [name, stampOfEntry(path, times)];
      return lstatSync(path).isDirectory() ? [own, ...stampsBelow(path, `${name}/`, times)] : [own];
    });
}

function stampOfEntry(path: Buffer, times: boolean): string {
  const found = lstatSync(path, { bigint: true });
  const content = found.isSymbolicLink()
    ? [readlinkSync(path, "hex")]
    : found.isFile()
      ? [hash("sha256", readFileSync(path))]
      : [];
  return [found.mode.toString(8), ...(times ? [found.mtimeNs, found.uid, found.gid] : []), ...content].join(" ");
}
