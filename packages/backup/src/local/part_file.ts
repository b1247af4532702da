import { createHash } from "node:crypto";
import { closeSync, lstatSync, openSync, readdirSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isPerduraError, StorageError } from "@perdura/internals/errors/errors.js";
import { ignoringErrors } from "@perdura/internals/files/abandoned_temporaries.js";
import { removeAfterFailure, removeAfterSuccess } from "@perdura/internals/files/remove_temporary.js";
import { statOf } from "@perdura/internals/files/stat_of.js";
import { storageErrorOf, withStorage } from "@perdura/internals/files/storage_errors.js";
import { isAbandoned, PART_SUFFIX, releasedName, temporaryName } from "@perdura/internals/files/temporary_names.js";
import { SIDE_FILES } from "./temporary_file.ts";

/** Content that a part is the beginning of. */
export interface Whole {
  /** Identifies the bytes: the same text never stands for others. */
  identity: string;
  /** Number of bytes. */
  size: number;
  /** True for an error after which the next call cannot continue. */
  isFinal: (error: unknown) => boolean;
}

/**
 * Lends a file next to a target that is written from its beginning to its end. It is empty, or contains what an earlier
 * call for the same target and content has written: one that failed, or whose process was killed. A part of other
 * content is removed.
 *
 * @throws The error of the task. If a part is kept, the message of an error of perdura reports it.
 */
export async function withPartFile<Result>(
  to: string,
  whole: Whole,
  task: (path: string) => Promise<Result>,
): Promise<Result> {
  const directory = dirname(to);
  const path = join(directory, partName(to, whole.identity));
  withStorage(directory, "looking for a part", () => ignoringErrors(() => claimPart(directory, path)));
  if (statOf(path) === undefined) withStorage(path, "creating", () => closeSync(openSync(path, "wx", 0o600)));
  let result: Result;
  try {
    result = await task(path);
  } catch (error) {
    throw endedPart(path, whole, storageErrorOf(error, path, "using a temporary file"));
  }
  withSideFiles(path).forEach(removeAfterSuccess);
  return result;
}

/** A name that contains the target, the content, and this process. */
function partName(to: string, identity: string): string {
  const hint = basename(to).slice(0, 30);
  return temporaryName(`${hint}.${digits(basename(to), 8)}-${digits(identity, 16)}`, undefined, PART_SUFFIX);
}

function digits(text: string, count: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, count);
}

/** Target and content in the name of a part. */
const OF = /\.([0-9a-f]{8})-([0-9a-f]{16})\.[0-9a-f]{8}-\d+-[0-9a-f]+\.perdura-part$/;

/**
 * Renames the largest part of the same content to `path`, and removes the other parts of the target. A part of a running
 * process stays. Renaming lets only one of several processes have it.
 */
function claimPart(directory: string, path: string): void {
  const [, target, content] = OF.exec(path) as unknown as [string, string, string];
  const parts = readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => OF.exec(name)?.[1] === target)
    .map(({ name }) => join(directory, name))
    .filter((part) => isOwn(part) && isAbandoned(part))
    .toSorted((one, other) => (statOf(other)?.size ?? 0) - (statOf(one)?.size ?? 0));
  for (const part of parts) {
    ignoringErrors(() => {
      if (OF.exec(part)?.[2] === content && statOf(path) === undefined) renameSync(part, path);
      else unlinkSync(part);
    });
    // SQLite would apply such a log to another file of this name.
    withSideFiles(part).slice(1).forEach(removeAfterFailure);
  }
}

/** True for a file of this user under this name only: through a link, its owner would get the bytes, or lose others. */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.nlink > 1) return false;
  return process.geteuid === undefined || found.uid === process.geteuid();
}

/**
 * Keeps a part of which bytes are missing, for the next call, and removes another one. A disk that fails or is full does
 * not keep it.
 *
 * @returns The error to throw.
 */
function endedPart(path: string, { size, isFinal }: Whole, error: unknown): unknown {
  const arrived = statOf(path)?.size ?? 0;
  const isLocal = isPerduraError(error) && error.path === path;
  if (arrived === 0 || arrived >= size || isLocal || isFinal(error)) {
    withSideFiles(path).forEach(removeAfterFailure);
    return error;
  }
  // If it keeps its name, the next process can continue it after the end of this one.
  ignoringErrors(() => renameSync(path, releasedName(path)));
  if (!isPerduraError(error, "PERDURA_STORAGE")) return error;
  const { reason, path: place, cause } = error as StorageError;
  return new StorageError(
    `${reason} ${arrived} of ${size} bytes arrived and were kept: the next restore of this version into this file continues there.`,
    { path: place, cause },
  );
}

function withSideFiles(path: string): string[] {
  return SIDE_FILES.map((suffix) => `${path}${suffix}`);
}
