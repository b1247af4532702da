import { accessSync, constants, existsSync, fsyncSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { getSystemErrorMessage } from "node:util";
import { withFile } from "./guarded_file.ts";
import { quotaReason } from "./out_of_space.ts";
import { temporaryDirectories } from "./temporary_directories.ts";
import { temporaryName } from "./temporary_names.ts";

/** Bytes that SQLite needs for the memory that processes share (`-shm`), plus a margin. */
const MIN_FREE_BYTES = 64 * 1024;

/**
 * Finds the reason of the operating system behind an error of SQLite, which only reports `unable to open database
 * file`, `disk I/O error`, `attempt to write a readonly database` or `database or disk is full`.
 *
 * @param code Code of the error.
 * @param path The database.
 * @returns The reason, such as `EACCES: permission denied, /data/metrics.db`; undefined if the error has none.
 */
export function systemReason(code: unknown, path: string): string | undefined {
  if (typeof code !== "string") return undefined;
  try {
    const place = resolve(path);
    const directory = dirname(place);
    if (code === "SQLITE_FULL")
      return shortageIn(directory) ?? refusedWrite(place) ?? fullTemporaryDirectory(directory);
    if (code.startsWith("SQLITE_IOERR_GETTEMPPATH")) return missingTemporaryDirectory();
    if (code.startsWith("SQLITE_READONLY")) return refusedAccess(place);
    if (!/^SQLITE_(?:IOERR|CANTOPEN)/.test(code)) return undefined;
    const known = shortageOfDescriptors(place) ?? refusedAccess(place) ?? shortageIn(directory);
    return known ?? (WRITES.test(code) ? refusedWrite(place) : undefined);
  } catch {
    // The original error matters more than this one.
    return undefined;
  }
}

/** Runs a system call; returns its error as text. */
function errorOf(call: () => unknown, path: string): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    const { code, errno } = error as NodeJS.ErrnoException;
    if (code === undefined || errno === undefined) return undefined;
    return `${quotaReason(error) ?? `${code}: ${getSystemErrorMessage(errno)}`}, ${path}`;
  }
}

/**
 * The reason behind an error of SQLite that passes, and is none of the file system: too few descriptors, or no space.
 *
 * @param path The database, which the message names.
 */
export function passingReason(path: string): string | undefined {
  try {
    return shortageOfDescriptors(path) ?? shortageIn(dirname(resolve(path)));
  } catch {
    return undefined;
  }
}

/** Number of files that SQLite opens for a transaction at most: the database, its journal or log and shared memory, the directory. */
const FILES_AT_ONCE = 4;

/**
 * A system call that needs a descriptor fails, whatever it opens: tried on a file that exists always. SQLite has closed
 * the files again that it could open.
 *
 * @param place The database, which the message names.
 */
function shortageOfDescriptors(place: string): string | undefined {
  const open = (count: number): void => {
    if (count > 0) withFile(process.execPath, () => open(count - 1));
  };
  return errorOf(() => {
    try {
      open(FILES_AT_ONCE);
    } catch (error) {
      // This user may not be allowed to read it, and an update may have removed it.
      if (SHORTAGES.has((error as NodeJS.ErrnoException).code)) throw error;
    }
  }, place);
}

const SHORTAGES = new Set<string | undefined>(["EMFILE", "ENFILE"]);

/** SQLite opens these files for writing, and creates the missing ones in their directory. */
function refusedAccess(place: string): string | undefined {
  const directory = dirname(place);
  const lost = errorOf(() => statSync(directory), directory);
  if (lost !== undefined) return lost;
  for (const path of [place, `${place}-journal`, `${place}-wal`, `${place}-shm`, directory]) {
    const refused = existsSync(path)
      ? errorOf(() => accessSync(path, constants.R_OK | constants.W_OK), path)
      : undefined;
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** Codes of writes that failed. */
const WRITES = /^SQLITE_IOERR_(?:WRITE|FSYNC|DIR_FSYNC|TRUNCATE|SHMSIZE|SHMMAP)$/;

/**
 * SQLite does not tell which error a write had: of the quota (`EDQUOT`), of the disk (`EIO`), or one that the free space
 * does not show. A small file next to the database has the same, while the cause lasts.
 */
function refusedWrite(place: string): string | undefined {
  const path = join(dirname(place), temporaryName(basename(place)));
  const write = (descriptor: number): void => {
    writeSync(descriptor, Buffer.alloc(MIN_FREE_BYTES), 0, MIN_FREE_BYTES, 0);
    fsyncSync(descriptor);
  };
  try {
    return errorOf(() => withFile(path, write, "wx"), dirname(place));
  } finally {
    rmSync(path, { force: true });
  }
}

function shortageIn(directory: string): string | undefined {
  const { bavail, bsize, files, ffree } = statfsSync(directory);
  if (bavail * bsize < MIN_FREE_BYTES) return `no space left on the disk: ${kilobytes(bavail * bsize)} free`;
  // File systems without a fixed number of files report 0 files.
  return files > 0 && ffree < 2 ? `no space left on the disk for more files: ${ffree} free` : undefined;
}

/**
 * SQLite reports a full disk, but that of the database has space. The temporary files were removed by now, so the other
 * disk may have space again.
 */
function fullTemporaryDirectory(directory: string): string | undefined {
  const [place] = temporaryDirectories();
  if (place === undefined || statSync(place).dev === statSync(directory).dev) return undefined;
  const { bavail, bsize } = statfsSync(place);
  return `no space left in the directory for temporary files, ${place}: ${kilobytes(bavail * bsize)} free; set TMPDIR to a larger one`;
}

const kilobytes = (bytes: number): string => `${Math.floor(bytes / 1024)} kB`;

function missingTemporaryDirectory(): string | undefined {
  const [directory] = temporaryDirectories();
  return directory === undefined
    ? "no directory for temporary files is writable; set TMPDIR to one"
    : errorOf(() => accessSync(directory, constants.W_OK), directory);
}
