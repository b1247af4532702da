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
 * Writes a text file so that a reader sees the old content or the new one, never a part: under a temporary name beside
 * it, then renamed. A link is followed; what is no regular file (`/dev/stdout`, a pipe) is written to as it is.
 * @throws {Error} of the file system; a file that was there is then unchanged, and nothing is left beside it.
 */
export function writeWhole(file: string, text: string): void {
  if (isStream(file)) return writeFileSync(file, text);
  const target = followed(file);
  const existing = statSync(target, { throwIfNoEntry: false });
  const temporary = temporaryName(target);
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    if (existing) chmodSync(temporary, existing.mode & 0o7777);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Tries whether {@link writeWhole} will find a place, without touching the file: so that a long run does not end with
 * a report that cannot be written.
 * @throws {Error} of the file system when there is no such folder, or nothing may be written there.
 */
export function checkWritable(file: string): void {
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing?.isDirectory()) throw new Error(`${file} is a folder`);
  if (existing) accessSync(file, constants.W_OK);
  if (isStream(file)) return;
  const temporary = temporaryName(followed(file));
  writeFileSync(temporary, "", { flag: "wx" });
  rmSync(temporary);
}

/** Where a link leads; the path itself when it is none, or leads nowhere yet. */
function followed(file: string): string {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() && statSync(file, { throwIfNoEntry: false })
    ? realpathSync(file)
    : file;
}

/** These may lead to a regular file that a shell holds open: replacing it would lose what is written later. */
const HELD_OPEN = /^\/(?:dev\/(?:std(?:in|out|err)$|fd\/)|proc\/[^/]+\/fd\/)/;

function isStream(file: string): boolean {
  const existing = statSync(file, { throwIfNoEntry: false });
  return HELD_OPEN.test(file) || (existing !== undefined && !existing.isFile());
}

function temporaryName(target: string): string {
  return join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
}
