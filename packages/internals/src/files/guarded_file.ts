import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { CLOSING_DROPS_LOCKS, descriptorsOf, type Identity, identityOf, isSameFile } from "./open_files.ts";

/**
 * Opens a file for a function, and closes it afterwards. Every read of a user's file without SQLite goes through this
 * function: on POSIX systems, closing any descriptor of a file drops all locks of the process on it, including those of
 * SQLite, and another process could then delete the log with acknowledged rows. So the descriptor of a database that
 * this process has open elsewhere is kept until the other ones are closed.
 *
 * @param use Must read at positions, because it may get a descriptor that was read before.
 */
export function withFile<Result>(
  path: string | Buffer,
  use: (descriptor: number) => Result,
  flags: string | number = "r",
): Result {
  const known = flags === "r" ? keptOf(path) : undefined;
  if (known !== undefined) return use(known);
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    closeGuarded(descriptor);
  }
}

/** Descriptors that were not closed, because the process may have their files open elsewhere. */
const kept = new Map<number, Identity>();

function keptOf(path: string | Buffer): number | undefined {
  if (kept.size === 0) return undefined;
  closeUnlocked();
  const identity = identityOf(path);
  return [...kept].find(([, each]) => isSameFile(each, identity))?.[0];
}

function closeGuarded(descriptor: number): void {
  const identity = CLOSING_DROPS_LOCKS ? identityIfDatabase(descriptor) : undefined;
  if (identity === undefined) return closeSync(descriptor);
  kept.set(descriptor, identity);
  closeUnlocked();
}

/** Closes the kept descriptors of files that the process does not have open elsewhere any more. */
export function closeUnlocked(): void {
  for (const [descriptor, identity] of kept) {
    // Where the system does not list the descriptors, one is kept for each database.
    const isElsewhere = descriptorsOf(identity)?.some((each) => !kept.has(each)) ?? true;
    if (isElsewhere) continue;
    kept.delete(descriptor);
    closeSync(descriptor);
  }
}

/** The first sixteen bytes of every SQLite database that has content. */
const MAGIC = Buffer.from("SQLite format 3\0");

/** True for the beginning of an SQLite database. */
export const isDatabaseHead = (bytes: Uint8Array): boolean => MAGIC.equals(bytes.subarray(0, MAGIC.length));

/** Identity of a database, or of an empty file: SQLite locks a new database before it writes to it. */
function identityIfDatabase(descriptor: number): Identity | undefined {
  try {
    const found = fstatSync(descriptor, { bigint: true });
    if (!found.isFile()) return undefined;
    const head = Buffer.alloc(MAGIC.length);
    const isDatabase = found.size === 0n || isDatabaseHead(head.subarray(0, readAt(descriptor, head, 0)));
    return isDatabase ? found : undefined;
  } catch {
    // The disk fails. The error of the read itself says so; the descriptor is closed.
    return undefined;
  }
}

/** Fills `buffer` from `position` on; returns the number of bytes read. */
export function readAt(descriptor: number, buffer: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(descriptor, buffer, filled, buffer.length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}
