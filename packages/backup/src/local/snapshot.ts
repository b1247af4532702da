import { copyFileSync, constants } from "node:fs";
import { dirname } from "node:path";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { withStorage } from "@perdura/internals/files/storage_errors.js";
import { isOutOfSpace } from "@perdura/internals/files/out_of_space.js";
import { temporaryDirectoryError } from "@perdura/internals/files/temporary_directories.js";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import type { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { BackupFormat } from "../layout/versions.ts";
import { checkLibrary } from "./check_library.ts";
import { kindOf } from "./file_kind.ts";
import { copyDatabase } from "./sqlite_copy.ts";

/**
 * Writes a consistent snapshot of a library into a temporary file, and checks that it can be read.
 *
 * @param source A library, or the path of a JSON document or of an SQLite database.
 * @param into An empty file.
 * @throws The errors of reading the library; nothing was stored then.
 */
export async function snapshot(
  source: PatternLibrary | string,
  into: string,
  busyTimeoutMs: number,
  signal?: AbortSignal,
): Promise<BackupFormat> {
  if (isLibrary(source)) {
    saveLibraryToJson(source, into);
    return "json";
  }
  if (typeof source !== "string")
    throw new ValidationError(
      `expected a pattern library or the path of one, got ${describe(source)}. Nothing was stored.`,
      { argument: "source" },
    );
  const format = kindOf("source", source);
  if (format === "sqlite") {
    await copyDatabase(source, into, source, busyTimeoutMs);
  } else {
    // On file systems with copy-on-write both files share their bytes until one changes.
    withStorage(source, "copying", () => copyToTemporary(source, into));
  }
  await checkLibrary(into, format, source, signal);
  return format;
}

/** A full disk is that of the copy. */
function copyToTemporary(source: string, into: string): void {
  try {
    copyFileSync(source, into, constants.COPYFILE_FICLONE);
  } catch (error) {
    throw isOutOfSpace(error) ? temporaryDirectoryError(dirname(into), error) : error;
  }
}

/** A library of either line. */
function isLibrary(source: unknown): source is PatternLibrary {
  return (source as { patterns?: unknown } | null)?.patterns instanceof Map;
}
