import { hash } from "node:crypto";
import { stampsOf as stampsWithTimes } from "../../../../test/tree_stamp.ts";

/** Everything below a directory by its name, with its mode and content, but not its time, which SQLite may change. */
export const stampsOf = (directory: string): Map<string, string> => stampsWithTimes(directory, false);

/** Files that SQLite creates and removes at any time: the index of a log, and an empty log. */
export function isWithoutContent(stamps: ReadonlyMap<string, string>): (name: string) => boolean {
  return (name) => name.endsWith("-shm") || (name.endsWith("-wal") && (stamps.get(name) ?? "").endsWith(EMPTY));
}

const EMPTY = hash("sha256", "");

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
