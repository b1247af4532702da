import { mkdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StorageError } from "../errors/errors.ts";
import { inTemporaryDirectory } from "./temporary_directories.ts";
import { temporaryName } from "./temporary_names.ts";

/** Name of private directories; shows whose they are. */
const NAME = "perdura-copy";

/**
 * Creates a directory for private copies in the directory for temporary files, readable for this user only.
 *
 * @param database A database that will be copied there with its log.
 * @throws StorageError that names the directory for temporary files if it is missing, not writable, or too small.
 */
export function makePrivateDirectory(database?: string): string {
  const place = tmpdir();
  const directory = join(place, temporaryName(NAME));
  inTemporaryDirectory(place, () => mkdirSync(directory, { mode: 0o700 }));
  const bytes = database === undefined ? 0 : bytesOf(database);
  const { bavail, bsize } = statfsSync(directory);
  if (bytes <= bavail * bsize) return directory;
  removePrivateDirectory(directory);
  throw new StorageError(
    `the directory for temporary files is too small for a copy of the database: ${bytes} bytes are needed, ${bavail * bsize} are free. Set the environment variable TMPDIR to another one.`,
    { path: place },
  );
}

function bytesOf(database: string): number {
  const sizes = ["", "-wal", "-journal"].map(
    (suffix) => statSync(`${database}${suffix}`, { throwIfNoEntry: false })?.size,
  );
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

/** True for the name of a directory that {@link makePrivateDirectory} made. */
export function isPrivateDirectory(name: string): boolean {
  return name.startsWith(`.${NAME}.`);
}

/** Removes a private directory with all files. */
export function removePrivateDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
