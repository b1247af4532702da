import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Every file below a directory by its name, with its kind and its content hash; equal maps mean that nothing was
 * changed.
 */
export function stampsOf(directory: string): Map<string, string> {
  return new Map(stampsBelow(Buffer.from(directory), ""));
}

/** Names need not be UTF-8: each byte is shown as one character. */
function stampsBelow(directory: Buffer, prefix: string): [string, string][] {
  return readdirSync(directory, { encoding: "buffer" })
    .toSorted(Buffer.compare)
    .flatMap((part) => {
      const [path, name] = [Buffer.concat([directory, Buffer.from("/"), part]), prefix + part.toString("latin1")];
      const own: [string, string] = [name, stampOf(path)];
      return lstatSync(path).isDirectory() ? [own, ...stampsBelow(path, `${name}/`)] : [own];
    });
}

function stampOf(path: Buffer): string {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  if (!found.isFile()) return `mode ${found.mode.toString(8)}`;
  return `${found.mode.toString(8)} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
}

/** Files that SQLite creates and removes at any time: the index of a log, and an empty log. */
export function isWithoutContent(stamps: ReadonlyMap<string, string>): (name: string) => boolean {
  return (name) => name.endsWith("-shm") || (name.endsWith("-wal") && (stamps.get(name) ?? "").endsWith(EMPTY));
}

const EMPTY = createHash("sha256").digest("hex");

/** Names of files that were added, changed or removed. */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  except: (name: string) => boolean = () => false,
): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  return names
    .filter((name) => !except(name))
    .map(
      (name) => `${name} ${before.has(name) ? (after.has(name) ? "was changed" : "is missing") : "was left behind"}`,
    );
}
