import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { StorageError } from "../errors/errors.ts";
import { removeAbandonedTemporaries } from "./abandoned_temporaries.ts";
import type { Access } from "./access.ts";
import { copyAcl, giveAccess, rememberWithoutAcl } from "./acl.ts";
import { removeAfterFailure } from "./remove_temporary.ts";
import { EarlySync } from "./early_sync.ts";
import { type FileVersion, fileVersion } from "./file_version.ts";
import { irregularKind } from "./irregular_kind.ts";
import { renameFile } from "./rename_file.ts";
import { syncDone } from "./sync_directory.ts";
import { temporaryName } from "./temporary_names.ts";
import { WriteBuffer } from "./write_buffer.ts";

/** Options for a file that is replaced or created. */
export interface ReplacementOptions {
  /** Removes temporary files of killed writers in the directory first, which requires listing it. */
  clean?: boolean;
  /** Owner, group and mode of a file that does not exist yet; by default those of this user and the umask. */
  access?: Access;
  /** Called when the temporary file is complete; if it throws, the target is not replaced. */
  beforePlacing?: (() => void) | undefined;
}

/** A temporary file that replaces another file at the end. Call exactly one of `finish` and `abandon`. */
export class Replacement {
  readonly #target: string;
  readonly #temporary: string;
  readonly #descriptor: number;
  readonly #beforePlacing: (() => void) | undefined;
  readonly #early: EarlySync;
  readonly #buffer: WriteBuffer = new WriteBuffer((bytes) => this.#put(bytes));
  #open = true;
  #hasAcl = false;

  constructor(path: string, options: ReplacementOptions = {}) {
    this.#target = followLink(path);
    this.#beforePlacing = options.beforePlacing;
    if (options.clean === true) removeAbandonedTemporaries(dirname(this.#target));
    const name = temporaryName(basename(this.#target));
    this.#temporary = join(dirname(this.#target), name);
    const existing = statSync(this.#target, { throwIfNoEntry: false });
    if (existing !== undefined) assertReplaceable(path, this.#target, existing);
    const access = existing ?? options.access;
    this.#descriptor = openSync(this.#temporary, "wx", access === undefined ? 0o666 : 0o600);
    this.#early = new EarlySync(this.#temporary);
    try {
      if (access !== undefined) giveAccess(this.#temporary, this.#descriptor, access);
      if (existing !== undefined) this.#hasAcl = copyAcl(this.#target, this.#temporary);
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  write(chunk: string | Uint8Array): void {
    this.#buffer.add(chunk);
  }

  /** Syncs the file and renames it over the target. Returns the version of the new file. */
  finish(): FileVersion {
    this.#buffer.flush();
    fsyncSync(this.#descriptor);
    const version = fileVersion(fstatSync(this.#descriptor, { bigint: true }));
    this.#close();
    this.#beforePlacing?.();
    renameFile(this.#temporary, this.#target);
    if (!this.#hasAcl) rememberWithoutAcl(this.#target);
    syncDone(this.#target, "the new content is in place");
    return version;
  }

  /** Removes the temporary file; the target is unchanged. */
  abandon(): void {
    try {
      this.#close();
    } finally {
      removeAfterFailure(this.#temporary);
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

/** The target of a symbolic link, also if it does not exist yet. */
function followLink(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() !== true) return path;
  const present = statSync(path, { throwIfNoEntry: false });
  return present === undefined ? resolve(dirname(path), readlinkSync(path)) : realpathSync(path);
}

/**
 * Throws if the target is write-protected, or is not a file: a rename would replace it anyway, even `/dev/null`. A target
 * that was removed in the meantime is accepted.
 */
function assertReplaceable(path: string, target: string, found: Stats): void {
  const kind = irregularKind(found);
  if (kind !== undefined)
    throw new StorageError(`expected a file, found ${kind}. No stored data was changed.`, { path });
  try {
    accessSync(target, constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Writes all bytes; one call of `writeSync` may write fewer. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}
