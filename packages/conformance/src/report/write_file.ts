import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Replaces a text file atomically: writes a temporary file next to it and renames it. A link is followed; a file that
 * is not regular (`/dev/stdout`, a pipe) is written directly.
 * @throws {Error} of the file system; an existing file is then unchanged, and the temporary file is removed.
 */
export function writeAtomically(file: string, text: string): void {
  if (isStream(file)) return writeFileSync(file, text);
  const target = followed(file);
  const existing = statSync(target, { throwIfNoEntry: false });
  const temporary = temporaryName(target);
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    if (existing) chmodSync(temporary, existing.mode & 0o7777);
    replace(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Milliseconds between attempts to replace a file that a program has open on Windows: two seconds in total. */
const PAUSES_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

function replace(temporary: string, target: string): void {
  for (const pause of process.platform === "win32" ? PAUSES_MS : [])
    try {
      return renameSync(temporary, target);
    } catch (error) {
      if (!["EPERM", "EACCES", "EBUSY"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  renameSync(temporary, target);
}

/**
 * Checks that {@link writeAtomically} can write the file, without touching it, so that a long run does not end with an
 * unwritable report.
 * @throws {Error} of the file system if the folder does not exist or is not writable.
 */
export function checkWritable(file: string): void {
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing?.isDirectory()) throw new Error(`${file} is a directory`);
  if (existing) accessSync(file, constants.W_OK);
  if (isStream(file)) return;
  const temporary = temporaryName(followed(file));
  writeFileSync(temporary, "", { flag: "wx" });
  rmSync(temporary);
}

/** The target of a link; the path itself if it is not a link or its target does not exist yet. */
function followed(file: string): string {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() && statSync(file, { throwIfNoEntry: false })
    ? realpathSync(file)
    : file;
}

/** These may refer to a regular file that a shell holds open: replacing it would lose its later output. */
const HELD_OPEN = /^\/(?:dev\/(?:std(?:in|out|err)$|fd\/)|proc\/[^/]+\/fd\/)/;

function isStream(file: string): boolean {
  const existing = statSync(file, { throwIfNoEntry: false });
  return HELD_OPEN.test(file) || (existing !== undefined && !existing.isFile());
}

function temporaryName(target: string): string {
  return join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
}
