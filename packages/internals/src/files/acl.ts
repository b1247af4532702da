import { spawnSync } from "node:child_process";
import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { type Access, applyAccess, setMode, withoutGroup } from "./access.ts";

const GROUP = 0o070;

/**
 * True for a mode that may be that of a file with an access control list. There the bits of the group are the most that
 * any entry of the list gives. If the group has no more rights than all users, the mode gives nothing away.
 */
export const mayHideAcl = (mode: number): boolean =>
  process.platform === "linux" && (mode & GROUP & ~((mode & 0o007) << 3)) !== 0;

/** The access control list of a file as text; undefined if it has only owner, group and others, or none can be read. */
export const aclOf = (path: string): string | undefined => listsOf([path]);

/** True if a file below a directory has an access control list. */
export const hasAclBelow = (directory: string): boolean =>
  listsOf(["--recursive", "--physical", directory]) !== undefined;

function listsOf(words: readonly string[], input: number | "ignore" = "ignore"): string | undefined {
  const all = ["--omit-header", "--absolute-names", "--skip-base", ...words];
  const { status, stdout } = spawnSync("getfacl", all, {
    encoding: "utf8",
    maxBuffer: Infinity,
    stdio: [input, "pipe", "ignore"],
  });
  return status === 0 && stdout.trim() !== "" ? stdout : undefined;
}

/** Files that were written without a list, by their inode and the time of the last change of their rights. */
const known = new Map<string, string>();

/**
 * Gives a file the access control list of another one, which it replaces or copies. With the mode alone, the group would
 * get the rights of users that the list names, and these users would lose theirs. Node.js has no call for lists, so this
 * asks the programs `getfacl` and `setfacl`; a system without them has no lists. If the list cannot be set,
 * the group gets only the rights of all users.
 *
 * @param to A file with the mode of `from`.
 * @returns True if `from` has a list.
 */
export function copyAcl(from: string, to: string): boolean {
  // Another process may have removed the file.
  const found = statSync(from, { throwIfNoEntry: false });
  if (found === undefined || !mayHideAcl(found.mode) || known.get(from) === stampOf(found)) return false;
  const list = aclOf(from);
  if (list === undefined) return false;
  const { status } = spawnSync("setfacl", ["--set-file=-", "--", to], { input: list });
  if (status !== 0) setMode(to, withoutGroup(found.mode));
  return true;
}

/**
 * Gives a new file the owner, group and mode of another one, without the access control list that is the default in its
 * directory: with the mode, users that this list names would get rights that they do not have to the other file.
 *
 * @param descriptor The file, which was created with rights for its owner only.
 */
export function giveAccess(path: string | Buffer, descriptor: number, access: Access): void {
  applyAccess(descriptor, { ...access, mode: dropInheritedAcl(path, descriptor, access.mode) });
}

/**
 * Removes the access control list that a new file or directory has got from its directory.
 *
 * @param mode The mode that it is about to get.
 * @returns The same mode; without the rights of the group if the list cannot be removed.
 */
export function dropInheritedAcl(path: string | Buffer, descriptor: number, mode: number): number {
  if (!mayHideAcl(mode) || !inheritsAcl(path, descriptor)) return mode;
  const { status } = spawnSync("setfacl", ["--remove-default", "--set=u::rwX,g::-,o::-", "--", STDIN], {
    stdio: [descriptor, "ignore", "ignore"],
  });
  return status === 0 ? mode : withoutGroup(mode);
}

/** The file that a child process has as its standard input: its name need not be text. */
const STDIN = "/proc/self/fd/0";

/** Directories that gave a file no list. */
const withoutDefault = new Set<string>();

function inheritsAcl(path: string | Buffer, descriptor: number): boolean {
  const { dev, ino, birthtimeMs } = statSync(parentOf(path));
  const directory = `${dev} ${ino} ${birthtimeMs}`;
  if (withoutDefault.has(directory)) return false;
  if (listsOf([STDIN], descriptor) !== undefined) return true;
  if (withoutDefault.size >= MOST) withoutDefault.clear();
  withoutDefault.add(directory);
  return false;
}

function parentOf(path: string | Buffer): string | Buffer {
  return typeof path === "string" ? dirname(path) : Buffer.from(dirname(path.toString("latin1")), "latin1");
}

/** Most files, and most directories, that are remembered; all are forgotten then. */
const MOST = 10_000;

/** Remembers that a file has no list, so that the next save need not ask. */
export function rememberWithoutAcl(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !mayHideAcl(found.mode)) return;
  if (known.size >= MOST) known.clear();
  known.set(path, stampOf(found));
}

const stampOf = ({ ino, ctimeMs }: Stats): string => `${ino} ${ctimeMs}`;
