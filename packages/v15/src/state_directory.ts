import { lstatSync, readdirSync, readFileSync, realpathSync, renameSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { withStorage } from "@perdura/internals/errors/storage_errors.js";
import { removeAbandonedTemporaries } from "@perdura/internals/files/abandoned_temporaries.js";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { makeDirectory } from "@perdura/internals/files/make_directory.js";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import {
  decodeUserId,
  digestName,
  encodeUserId,
  ID_SUFFIX,
  isDigestName,
  STATE_SUFFIX,
} from "@perdura/internals/state/file_names.js";
import { identifierFault } from "@perdura/internals/text/identifiers.js";
import { unlessMissing } from "./missing.ts";
import type { StateFiles, StoredState } from "./state_files.ts";
import { writtenUserId } from "./written_user_id.ts";

/** Longest name of a file in bytes, less the longest suffix. */
const MAX_RAW_NAME = 250;

/**
 * State files in a directory, one per user, under names that are safe for every id (ruling U-state-file). Other processes
 * may save and delete at any moment: a file that is gone between two looks is a file that is not there.
 */
export class StateDirectory implements StateFiles {
  readonly #directory: string;
  #cleaned = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  read(userId: string): StoredState | undefined {
    return this.#store("loading", () => {
      const name = this.#existingName(userId);
      if (name === undefined) return undefined;
      const place = this.#pathOf(name);
      const bytes = unlessMissing(() => readWhole(place));
      return bytes === undefined ? undefined : { bytes, place };
    });
  }

  write(userId: string, text: string): void {
    this.#store("saving", () => {
      this.#prepare();
      // A file of the older programs under the raw id stays the user's file, so that there is never a second one.
      const name = this.#existingName(userId) ?? this.#freeName(userId);
      if (isDigestName(name)) this.#keepId(name, userId);
      writeFileAtomically(this.#pathOf(name), (write) => write(text));
    });
  }

  list(): string[] {
    return this.#store("listing", () => {
      const entries = unlessMissing(() => readdirSync(this.#directory, { withFileTypes: true })) ?? [];
      const files = entries.filter((entry) => entry.name.endsWith(STATE_SUFFIX) && !entry.isDirectory());
      const ids = files.map((entry) => this.#userIdOf(entry.name.slice(0, -STATE_SUFFIX.length)));
      return [...new Set(ids)].filter((id) => identifierFault(id) === undefined);
    });
  }

  remove(userId: string): boolean {
    return this.#store("deleting", () => {
      const removed = this.#namesFor(userId).filter((name) => this.#owns(userId, name) && this.#unlink(name));
      if (removed[0] !== undefined) syncDone(this.#pathOf(removed[0]), "the state is removed");
      return removed.length > 0;
    });
  }

  #unlink(name: string): boolean {
    const gone = unlessMissing(() => {
      unlinkSync(this.#pathOf(name));
      return true;
    });
    if (isDigestName(name)) unlessMissing(() => unlinkSync(this.#idPathOf(name)));
    return gone === true;
  }

  /** The canonical name, then the raw id, where an older program may have used it. */
  #namesFor(userId: string): string[] {
    const raw = !/[/\0]/.test(userId) && Buffer.byteLength(userId) <= MAX_RAW_NAME && !isDigestName(userId);
    return [...new Set([encodeUserId(userId), ...(raw ? [userId] : [])])];
  }

  #existingName(userId: string): string | undefined {
    return this.#namesFor(userId).find((name) => this.#owns(userId, name));
  }

  #owns(userId: string, name: string): boolean {
    return this.#isThere(name) && this.#userIdOf(name) === userId;
  }

  /**
   * The canonical name, once it is free. It may lead to the raw file of another user: on a file system that ignores case
   * (`Alice.json` for `alice`), or where an older program took an id that reads like an escape. That file then moves to
   * its own canonical name.
   */
  #freeName(userId: string): string {
    const name = encodeUserId(userId);
    const path = this.#pathOf(name);
    const occupied = unlessMissing(() => basename(realpathSync.native(path)).slice(0, -STATE_SUFFIX.length));
    if (occupied !== undefined) {
      const owner = this.#userIdOf(occupied);
      if (owner !== userId) unlessMissing(() => renameSync(path, this.#pathOf(encodeUserId(owner))));
    }
    return name;
  }

  /** True when a file of exactly that name is there, also where the file system ignores case. */
  #isThere(name: string): boolean {
    const path = this.#pathOf(name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) return false;
    if (found.isSymbolicLink()) return true;
    return unlessMissing(() => basename(realpathSync.native(path))) === `${name}${STATE_SUFFIX}`;
  }

  /** Whose file it is: by its name; where the name reads like an escape, the file may say that it is meant literally. */
  #userIdOf(name: string): string {
    if (isDigestName(name)) {
      const id = unlessMissing(() => readFileSync(this.#idPathOf(name), "utf8"));
      return id !== undefined && digestName(id) === name ? id : name;
    }
    const decoded = decodeUserId(name);
    return decoded !== name && writtenUserId(this.#pathOf(name)) === name ? name : decoded;
  }

  #pathOf(name: string): string {
    return join(this.#directory, `${name}${STATE_SUFFIX}`);
  }

  #idPathOf(name: string): string {
    return join(this.#directory, `${name}${ID_SUFFIX}`);
  }

  /** Makes the directory where it is missing; once, clears what a killed writer left. */
  #prepare(): void {
    makeDirectory(this.#directory);
    if (!this.#cleaned) removeAbandonedTemporaries(this.#directory);
    this.#cleaned = true;
  }

  /** Writes the companion that tells which id a digest stands for, before the state itself. */
  #keepId(name: string, userId: string): void {
    if (this.#userIdOf(name) !== userId) writeFileAtomically(this.#idPathOf(name), (write) => write(userId));
  }

  #store<Result>(action: string, task: () => Result): Result {
    return withStorage(this.#directory, action, task);
  }
}
