import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { Stop } from "../stop.ts";

/** @throws Stop when this user could not make files in a directory for copies. */
export function assertPlace(directory: string): void {
  assertMay(directory, constants.W_OK | constants.X_OK, `This user cannot write in the directory ${directory}`);
}

/** @throws Stop when this user could not write the archive of a state directory. */
export function assertArchivePlace(directory: string): void {
  const place = dirname(directory);
  assertMay(
    place,
    constants.W_OK | constants.X_OK,
    `This user cannot write in the directory ${place}, where the archive goes: it lies beside its state directory`,
  );
}

/** @throws Stop when `up` could not write: to the database, beside it, or where the backups go. */
export function assertWritable(path: string, backupDir: string | null): void {
  assertMay(path, constants.W_OK, `This user cannot write to ${path}`);
  assertMay(
    dirname(path),
    constants.W_OK | constants.X_OK,
    `This user cannot write in the directory ${dirname(path)}, where SQLite needs its journal`,
  );
  if (backupDir !== null) assertPlace(backupDir);
}

function assertMay(path: string, mode: number, sentence: string): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    throw new Stop(
      "refused",
      `${sentence} (${(error as NodeJS.ErrnoException).code}). Allow it, or run as the owner of the data.`,
      error,
    );
  }
}
