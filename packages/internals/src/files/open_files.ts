import { fstatSync, readdirSync, statSync } from "node:fs";

/** Device and inode of a file. */
export interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** @param file A path, or a descriptor; undefined for a path that does not exist. */
export function identityOf(file: string | Buffer | number): Identity | undefined {
  return typeof file === "number"
    ? fstatSync(file, { bigint: true })
    : statSync(file, { bigint: true, throwIfNoEntry: false });
}

/** True for two identities of one file. */
export function isSameFile(one: Identity | undefined, other: Identity | undefined): boolean {
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}

/** True where closing a descriptor of a file drops the locks that the process has on it: on POSIX systems. */
export const CLOSING_DROPS_LOCKS: boolean = process.platform !== "win32";

/** Directory in which the operating system lists the descriptors of a process. */
const LIST = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd";

/**
 * All descriptors of this process for a file: those of every thread and of every library with an SQLite of its own.
 * Undefined if the system does not list them. Deno numbers its descriptors differently than the system.
 */
export function descriptorsOf(file: Identity): number[] | undefined {
  if (!CLOSING_DROPS_LOCKS || process.versions["deno"] !== undefined) return undefined;
  let names: string[];
  try {
    names = readdirSync(LIST);
  } catch {
    return undefined;
  }
  return names.map(Number).filter((descriptor) => isSameFile(identityIfOpen(descriptor), file));
}

/** Undefined for a descriptor that was closed since it was listed. */
function identityIfOpen(descriptor: number): Identity | undefined {
  try {
    return identityOf(descriptor);
  } catch {
    return undefined;
  }
}

/** True while this process has the file open; false where that does not matter, and where it cannot be found out. */
export function isOpenInProcess(path: string): boolean {
  const identity = identityOf(path);
  return identity !== undefined && (descriptorsOf(identity)?.length ?? 0) > 0;
}
