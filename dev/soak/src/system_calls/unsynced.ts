import { dirname } from "node:path";
import type { Call } from "./strace.ts";

/**
 * Calls that write to the file of their first descriptor. Without `ftruncate`: SQLite truncates a database after the
 * commit, whose header already has the new length.
 */
const WRITING = new Set("write writev pwrite64 pwritev pwritev2 sendfile fallocate".split(" "));

/** Names of files that need not survive a power cut: temporary files, and the shared memory of SQLite. */
const FLEETING = /\.perdura-(?:tmp|part)(?:-journal|-wal|-shm)?(?:\/|$)|-shm$/;

/**
 * Compares the changes of a program below a directory with its syncs. A power cut may undo unsynced changes, but a
 * trial rarely hits that moment; this checks every call.
 *
 * @returns Changes that were not synced when the program wrote to stdout, in words: its output acknowledges them.
 * @throws Error for a log without output.
 */
export function unsyncedAtOutput(calls: readonly Call[], directory: string): string[] {
  const disk = new Disk(directory);
  const faults = new Set<string>();
  let hasSaid = false;
  for (const { name, text } of calls) {
    if (name === "write" && text.startsWith("1<")) {
      hasSaid = true;
      for (const fault of disk.unsynced()) faults.add(fault);
    } else disk.saw(name, text);
  }
  if (!hasSaid) throw new Error("The log shows no output of the program, so nothing was checked.");
  return [...faults];
}

/** Unsynced changes, as far as the calls show. */
class Disk {
  readonly #directory: string;
  readonly #contents = new Set<string>();
  /** Changes of names, by path. */
  readonly #names = new Map<string, string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  unsynced(): string[] {
    const lasting = (path: string): boolean => path.startsWith(this.#directory) && !FLEETING.test(path);
    return [
      ...[...this.#contents].filter(lasting).map((path) => `${this.#shown(path)} was written and not synced`),
      ...[...this.#names]
        .filter(([path]) => lasting(path))
        .map(([path, done]) => `${this.#shown(path)} was ${done}, and its directory was not synced`),
    ];
  }

  saw(name: string, text: string): void {
    const [descriptor, into] = [...text.matchAll(/\b\d+<([^>]*)>/g)].map(([, path]) => path);
    const [first, second] = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path]) => path as string);
    if (/= -1 /.test(text)) return;
    if (name === "execve" && first?.endsWith("/sync") === true) {
      // It syncs a whole file system.
      this.#contents.clear();
      this.#names.clear();
      return;
    }
    if (name === "copy_file_range" && into !== undefined) this.#contents.add(into);
    else if (descriptor !== undefined && WRITING.has(name)) this.#contents.add(descriptor);
    else if (descriptor !== undefined && /^f(?:data)?sync$/.test(name)) this.#synced(descriptor);
    else if (first === undefined) return;
    else if (name.startsWith("open") && /O_CREAT/.test(text)) this.#names.set(first, "made");
    else if (name.startsWith("rename") && second !== undefined) this.#moved(first, second, "renamed into place", true);
    else if (name.startsWith("link") && second !== undefined) this.#moved(first, second, "linked into place", false);
    else if (name.startsWith("mkdir")) this.#names.set(first, "made");
    else if (/^(?:unlink|rmdir)/.test(name)) this.#removed(first);
  }

  #synced(path: string): void {
    this.#contents.delete(path);
    for (const name of this.#names.keys()) if (dirname(name) === path) this.#names.delete(name);
  }

  #moved(from: string, to: string, how: string, isGone: boolean): void {
    this.#contents.delete(to);
    for (const path of [...this.#contents, ...this.#names.keys()].filter((each) => isBelow(each, from))) {
      const moved = `${to}${path.slice(from.length)}`;
      if (this.#contents.has(path)) this.#contents.add(moved);
      const done = this.#names.get(path);
      if (done !== undefined) this.#names.set(moved, done);
    }
    this.#names.set(to, how);
    if (isGone) this.#removed(from);
  }

  #removed(path: string): void {
    for (const each of [...this.#contents, ...this.#names.keys()].filter((name) => isBelow(name, path))) {
      this.#contents.delete(each);
      this.#names.delete(each);
    }
    // A log that reappears contains nothing new: it was merged into the database, and that was synced.
    if (path.endsWith("-wal")) this.#names.delete(path);
    else this.#names.set(path, "removed");
  }

  #shown(path: string): string {
    return path.slice(this.#directory.length + 1);
  }
}

/** True for a path, and for all paths below it. */
function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}
