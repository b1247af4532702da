import { closeSync, constants, fstatSync, lstatSync, open, openSync, readSync } from "node:fs";
import { promisify } from "node:util";
import { CLOSING_DROPS_LOCKS, descriptorsOf, type Identity, identityOf, isSameFile } from "./open_files.ts";

/**
 * Opens a file for a function, and closes it afterwards. Every read of a user's file without SQLite goes through this
 * function: on POSIX systems, closing any descriptor of a file drops all locks of the process on it, including those of
 * SQLite, and another process could then delete the log with acknowledged rows. So the descriptor of a database that
 * this process has open elsewhere is kept until the other ones are closed.
 *
 * @param use Must read at positions, because it may get a descriptor that was read before.
 * @param head Gives the first bytes of the file if `use` has read some, which saves reading them for the guard.
 */
export function withFile<Result>(
  path: string | Buffer,
  use: (descriptor: number) => Result,
  flags: string | number = "r",
  head?: () => Uint8Array,
): Result {
  const known = keptOf(path, flags);
  if (known !== undefined) return use(known);
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    closeGuarded(descriptor, head?.());
  }
}

/**
 * Works like {@link withFile} while the program goes on; `use` may read asynchronously.
 *
 * @param use Must read at positions, because it may get a descriptor that was read before.
 */
export async function withFileInTurn<Result>(
  path: string,
  use: (descriptor: number) => Promise<Result>,
): Promise<Result> {
  const descriptor = keptOf(path, "r") ?? (await promisify(open)(path, "r"));
  users.set(descriptor, (users.get(descriptor) ?? 0) + 1);
  try {
    return await use(descriptor);
  } finally {
    const others = (users.get(descriptor) as number) - 1;
    if (others > 0) users.set(descriptor, others);
    else users.delete(descriptor);
    if (!kept.has(descriptor)) closeGuarded(descriptor);
  }
}

/** Descriptors that were not closed, because the process may have their files open elsewhere. */
const kept = new Map<number, Identity>();

/** Numbers of asynchronous tasks that read from a descriptor. */
const users = new Map<number, number>();

const NOT_FOR_READING = constants.O_WRONLY | constants.O_RDWR | constants.O_CREAT;

/** A kept descriptor of the file that opening the path for reading would open. */
function keptOf(path: string | Buffer, flags: string | number): number | undefined {
  if (kept.size === 0) return undefined;
  closeUnlocked();
  if (typeof flags === "string" ? flags !== "r" : (flags & NOT_FOR_READING) !== 0) return undefined;
  const isLinkRefused = typeof flags === "number" && (flags & (constants.O_NOFOLLOW ?? 0)) !== 0;
  const identity = isLinkRefused ? lstatSync(path, { bigint: true, throwIfNoEntry: false }) : identityOf(path);
  return [...kept].find(([, each]) => isSameFile(each, identity))?.[0];
}

/** @param head The first bytes of the file; unknown if there are none. */
function closeGuarded(descriptor: number, head: Uint8Array = NO_BYTES): void {
  const isOther = !CLOSING_DROPS_LOCKS || (head.length > 0 && !isDatabaseHead(head));
  const identity = isOther ? undefined : identityIfDatabase(descriptor);
  if (identity === undefined) return closeSync(descriptor);
  kept.set(descriptor, identity);
  closeUnlocked();
}

const NO_BYTES = new Uint8Array();

/** Closes the kept descriptors of files that the process does not have open elsewhere any more. */
export function closeUnlocked(): void {
  for (const [descriptor, identity] of kept) {
    // Where the system does not list the descriptors, one is kept for each database.
    const isElsewhere = descriptorsOf(identity)?.some((each) => !kept.has(each)) ?? true;
    if (isElsewhere || users.has(descriptor)) continue;
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
