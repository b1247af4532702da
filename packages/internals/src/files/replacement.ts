import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { removeAbandonedTemporaries } from "./abandoned_temporaries.ts";
import { type Access, giveAccess } from "./access.ts";
import { discard } from "./discard.ts";
import { EarlySync } from "./early_sync.ts";
import { syncDone } from "./sync_directory.ts";
import { temporaryName } from "./temporary_names.ts";
import { WriteBuffer } from "./write_buffer.ts";

/** What a new file looks like. */
export interface ReplacementOptions {
  /** Look for temporary files of killed writers in the directory first; costs a listing of it. */
  clean?: boolean;
  /** Owner, group and mode of a file that is not there yet; by default this user's, and what the umask leaves. */
  access?: Access;
}

/** A temporary file beside another, whose place it takes in the end. It is finished or abandoned, exactly once. */
export class Replacement {
  readonly #target: string;
  readonly #temporary: string;
  readonly #descriptor: number;
  readonly #early: EarlySync;
  readonly #buffer: WriteBuffer = new WriteBuffer((bytes) => this.#put(bytes));
  #open = true;

  constructor(path: string, options: ReplacementOptions = {}) {
    this.#target = followLink(path);
    if (options.clean === true) removeAbandonedTemporaries(dirname(this.#target));
    const name = temporaryName(basename(this.#target), randomBytes(4).toString("hex"));
    this.#temporary = join(dirname(this.#target), name);
    const existing = statSync(this.#target, { throwIfNoEntry: false });
    if (existing !== undefined) assertWritable(this.#target);
    const access = existing ?? options.access;
    this.#descriptor = openSync(this.#temporary, "wx", access === undefined ? 0o666 : 0o600);
    this.#early = new EarlySync(this.#temporary);
    try {
      if (access !== undefined) giveAccess(this.#descriptor, access);
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  write(chunk: string | Uint8Array): void {
    this.#buffer.add(chunk);
  }

  /** Syncs the file and puts it in the place of the other. */
  finish(): void {
    this.#buffer.flush();
    fsyncSync(this.#descriptor);
    this.#close();
    renameSync(this.#temporary, this.#target);
    syncDone(this.#target, "the new content is in place");
  }

  /** The other file stays, and nothing else. */
  abandon(): void {
    try {
      this.#close();
    } finally {
      discard(this.#temporary);
    }
  }

  #put(bytes: Uint8Array): void {
    writeAll(this.#descriptor, bytes);
    this.#early.wrote(bytes.length);
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#buffer.free();
    this.#early.end();
    closeSync(this.#descriptor);
  }
}

/** The file at the end of a link, also of one that leads to nothing yet. */
function followLink(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() !== true) return path;
  const present = statSync(path, { throwIfNoEntry: false });
  return present === undefined ? resolve(dirname(path), readlinkSync(path)) : realpathSync(path);
}

/** A rename would replace a write-protected file without asking. A file that is gone meanwhile protects nothing. */
function assertWritable(target: string): void {
  try {
    accessSync(target, constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** `writeSync` may write less than it was given. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}
