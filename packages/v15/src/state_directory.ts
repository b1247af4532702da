import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import {
  removeAbandonedTemporaries,
  syncDirectory,
  writeFileAtomically,
} from "@perdura/internals/files/atomic_write.js";
import {
  decodeUserId,
  digestName,
  encodeUserId,
  ID_SUFFIX,
  isDigestName,
  STATE_SUFFIX,
} from "@perdura/internals/state/file_names.js";
import type { StateFiles } from "./state_files.ts";

/** State files in a directory, one per user, under names that are safe for every id (ruling U-state-file). */
export class StateDirectory implements StateFiles {
  readonly #directory: string;
  #prepared = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  place(userId: string): string {
    return join(this.#directory, `${this.#existingName(userId) ?? encodeUserId(userId)}${STATE_SUFFIX}`);
  }

  read(userId: string): Buffer | undefined {
    const name = this.#existingName(userId);
    return name === undefined ? undefined : readIfPresent(this.#pathOf(name));
  }

  write(userId: string, text: string): void {
    this.#prepare();
    // A file of the older programs under the raw id stays the user's file, so that there is never a second one.
    const name = this.#existingName(userId) ?? this.#freeName(userId);
    if (isDigestName(name)) this.#keepId(name, userId);
    writeFileAtomically(this.#pathOf(name), (write) => write(text));
  }

  list(): string[] {
    if (!existsSync(this.#directory)) return [];
    const names = readdirSync(this.#directory).filter((name) => name.endsWith(STATE_SUFFIX) && this.#isFile(name));
    return names.map((name) => this.#userIdOf(name.slice(0, -STATE_SUFFIX.length)));
  }

  remove(userId: string): boolean {
    let removed = false;
    for (const name of this.#namesFor(userId).filter((candidate) => this.#isThere(candidate))) {
      rmSync(this.#pathOf(name));
      rmSync(join(this.#directory, `${name}${ID_SUFFIX}`), { force: true });
      removed = true;
    }
    if (removed) syncDirectory(this.#directory);
    return removed;
  }

  /** The canonical name, then the raw id where an older program may have used it and it stands for no other id. */
  #namesFor(userId: string): string[] {
    const raw = !/[/\0]/.test(userId) && Buffer.byteLength(userId) <= 250 && decodeUserId(userId) === userId;
    return [...new Set([encodeUserId(userId), ...(raw ? [userId] : [])])];
  }

  #existingName(userId: string): string | undefined {
    return this.#namesFor(userId).find((name) => this.#isThere(name));
  }

  /**
   * The canonical name. On a file system that ignores case it may lead to the raw file of another user (`Alice.json` for
   * `alice`); that file then moves to its own canonical name first.
   */
  #freeName(userId: string): string {
    const name = encodeUserId(userId);
    const path = this.#pathOf(name);
    if (existsSync(path)) {
      const occupant = basename(realpathSync.native(path)).slice(0, -STATE_SUFFIX.length);
      renameSync(path, this.#pathOf(encodeUserId(decodeUserId(occupant))));
    }
    return name;
  }

  /** True when a file of exactly that name is there, also where the file system ignores case. */
  #isThere(name: string): boolean {
    const path = this.#pathOf(name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) return false;
    return found.isSymbolicLink() || basename(realpathSync.native(path)) === `${name}${STATE_SUFFIX}`;
  }

  #isFile(fileName: string): boolean {
    return lstatSync(join(this.#directory, fileName), { throwIfNoEntry: false })?.isDirectory() === false;
  }

  #pathOf(name: string): string {
    return join(this.#directory, `${name}${STATE_SUFFIX}`);
  }

  /** Makes the directory, and clears what a killed writer left, once. */
  #prepare(): void {
    if (this.#prepared) return;
    mkdirSync(this.#directory, { recursive: true });
    removeAbandonedTemporaries(this.#directory);
    this.#prepared = true;
  }

  /** Writes the companion that tells which id a digest stands for, before the state itself. */
  #keepId(name: string, userId: string): void {
    const path = join(this.#directory, `${name}${ID_SUFFIX}`);
    if (!existsSync(path)) writeFileAtomically(path, (write) => write(userId));
  }

  #userIdOf(name: string): string {
    if (!isDigestName(name)) return decodeUserId(name);
    const id = readIfPresent(join(this.#directory, `${name}${ID_SUFFIX}`))?.toString("utf8");
    return id !== undefined && digestName(id) === name ? id : name;
  }
}

function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
