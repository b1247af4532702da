import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { CorruptDataError } from "@perdura/internals/errors/errors.js";
import { withStorage } from "@perdura/internals/files/storage_errors.js";
import { removeAbandonedTemporaries } from "@perdura/internals/files/abandoned_temporaries.js";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { hasOtherSpelling, listedName } from "@perdura/internals/files/exact_names.js";
import { makeDirectory } from "@perdura/internals/files/make_directory.js";
import { APPLE_DOUBLE_BYTES, hasAppleDoubleName, isAppleDouble } from "@perdura/internals/files/apple_double.js";
import { readHead, readWhole } from "@perdura/internals/files/read_bytes.js";
import { removeFile } from "@perdura/internals/files/remove_file.js";
import { renameFile } from "@perdura/internals/files/rename_file.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import {
  digestName,
  encodeUserId,
  ID_SUFFIX,
  isDigestName,
  secondName,
  STATE_SUFFIX,
  userIdOf,
} from "@perdura/internals/state/file_names.js";
import { writtenUserId } from "@perdura/internals/state/written_user_id.js";
import { quote } from "@perdura/internals/text/describe.js";
import { identifierFault } from "@perdura/internals/text/identifiers.js";
import { unlessMissing } from "@perdura/internals/files/missing.js";
import type { StateFiles, StoredState } from "./state_files.ts";

/** Maximum length of a file name in bytes (255), minus the longest suffix. */
const MAX_RAW_NAME = 250;

/**
 * True if a file name can contain the id unchanged. On Windows, a backslash leads out of the directory, a colon names
 * another stream of a file, and U+10FFFF in a path ends the process: libuv of Node.js 22 considers it invalid.
 */
function isUsable(id: string): boolean {
  return !(process.platform === "win32" ? /[/\\:\0\u{10ffff}]/u : /[/\0]/).test(id);
}

/**
 * State files in a directory, one per user, under names that are safe for every user id (ruling U-state-file). Other
 * processes may save and delete files at any time: a file that disappears during an operation counts as missing.
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
      // A file that an older program wrote under the raw id remains the user's file, so that a user never has two
      // files.
      const name = this.#existingName(userId) ?? this.#freeName(userId);
      if (isDigestName(name)) this.#keepId(name, userId);
      writeFileAtomically(this.#pathOf(name), (write) => write(text));
    });
  }

  list(): string[] {
    return this.#store("listing", () => {
      const entries = unlessMissing(() => readdirSync(this.#directory, { withFileTypes: true })) ?? [];
      const files = entries.filter(
        (entry) => entry.name.endsWith(STATE_SUFFIX) && !entry.isDirectory() && !this.#isAppleDouble(entry.name),
      );
      const ids = files.map((entry) => this.#userIdOf(entry.name.slice(0, -STATE_SUFFIX.length)));
      return [...new Set(ids)].filter((id) => identifierFault(id) === undefined);
    });
  }

  #isAppleDouble(name: string): boolean {
    if (!hasAppleDoubleName(name)) return false;
    const head = unlessMissing(() => readHead(join(this.#directory, name), APPLE_DOUBLE_BYTES));
    return head !== undefined && isAppleDouble(name, head);
  }

  remove(userId: string): boolean {
    const names = this.#store("deleting", () => [...this.#namesFor(userId)].filter((name) => this.#owns(userId, name)));
    const isOneFile = names.length === 1 && !names.some(isDigestName);
    return this.#store(isOneFile ? "deleting" : "deleting several files", () => {
      const removed = names.filter((name) => this.#unlink(name));
      if (removed[0] !== undefined) syncDone(this.#pathOf(removed[0]), "the state is removed");
      return removed.length > 0;
    });
  }

  #unlink(name: string): boolean {
    const gone = unlessMissing(() => {
      removeFile(this.#pathOf(name));
      return true;
    });
    if (isDigestName(name)) unlessMissing(() => removeFile(this.#idPathOf(name)));
    return gone === true;
  }

  /**
   * Possible names of a user's file: the canonical name; the raw id, also as HFS+ decomposes it and as some file systems
   * store it in lower case, if an older program may have used them; the second name, for the case that the canonical name leads to the file of another
   * user.
   */
  *#namesFor(userId: string): Generator<string, void> {
    const canonical = encodeUserId(userId);
    yield canonical;
    for (const raw of new Set([userId, userId.normalize("NFD"), userId.toLowerCase()]))
      if (raw !== canonical && isUsable(raw) && Buffer.byteLength(raw) <= MAX_RAW_NAME && !isDigestName(raw)) yield raw;
    yield secondName(userId);
  }

  #existingName(userId: string): string | undefined {
    for (const name of this.#namesFor(userId)) if (this.#owns(userId, name)) return name;
    return undefined;
  }

  #owns(userId: string, name: string): boolean {
    return this.#holderOf(userId, name) === "user";
  }

  /**
   * Returns the canonical name, or the second name if the canonical name leads to another file: on a file system that
   * ignores case `alice` leads to `Alice.json`, and an older program may have used a raw id that looks like an escape.
   * The other file is not moved, because another process could save under the canonical name just before the move.
   */
  #freeName(userId: string): string {
    const canonical = encodeUserId(userId);
    if (this.#holderOf(userId, canonical) !== "other") return canonical;
    if (isDigestName(canonical)) return this.#renameUnowned(canonical);
    const second = secondName(userId);
    if (this.#holderOf(userId, second) !== "other") return second;
    const path = this.#pathOf(second);
    throw new CorruptDataError(
      `cannot save the state of ${quote(userId)}: this name and ${this.#pathOf(canonical)} are taken by other files. Nothing was changed. Move one of the files elsewhere.`,
      { path },
    );
  }

  /**
   * Renames a state file whose companion file is missing or contains another id, so that it is listed under its new
   * name.
   */
  #renameUnowned(digest: string): string {
    const [path, to] = [this.#pathOf(digest), this.#pathOf(encodeUserId(digest))];
    unlessMissing(() => renameFile(path, to));
    return digest;
  }

  /**
   * The owner of a file name: the user; another entry, including one whose name the file system treats as equal; or
   * undefined for a free name. An entry that another process removes during this check counts as free.
   */
  #holderOf(userId: string, name: string): "user" | "other" | undefined {
    const path = this.#pathOf(name);
    const isThere = (): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const listed = found.isDirectory() ? undefined : unlessMissing(() => listedName(path));
    if (listed === basename(path) && this.#userIdOf(name) === userId) return "user";
    return isThere() ? "other" : undefined;
  }

  /** The user id of a file, which its name decides, for some names together with the document. */
  #userIdOf(name: string): string {
    if (isDigestName(name)) {
      const id = unlessMissing(() => readWhole(this.#idPathOf(name)).toString("utf8"));
      return id !== undefined && digestName(id) === name ? id : name;
    }
    const path = this.#pathOf(name);
    const written = (): unknown => {
      const bytes = unlessMissing(() => readWhole(path));
      return bytes === undefined ? undefined : writtenUserId(bytes, path);
    };
    return userIdOf(name, written, () => hasOtherSpelling(path));
  }

  #pathOf(name: string): string {
    return join(this.#directory, `${name}${STATE_SUFFIX}`);
  }

  #idPathOf(name: string): string {
    return join(this.#directory, `${name}${ID_SUFFIX}`);
  }

  /** Creates the directory if it is missing. The first call also removes temporary files of killed writers. */
  #prepare(): void {
    makeDirectory(this.#directory);
    if (!this.#cleaned) removeAbandonedTemporaries(this.#directory);
    this.#cleaned = true;
  }

  /** Writes the companion file, which contains the id that a digest stands for. It must exist before the state. */
  #keepId(name: string, userId: string): void {
    if (this.#userIdOf(name) !== userId) writeFileAtomically(this.#idPathOf(name), (write) => write(userId));
  }

  #store<Result>(action: string, task: () => Result): Result {
    return withStorage(this.#directory, action, task);
  }
}
