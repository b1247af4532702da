import { closeSync, openSync, readSync } from "node:fs";
import {
  FileNotFoundError,
  isPerduraError,
  UnsupportedFormatError,
  ValidationError,
} from "@perdura/internals/errors/errors.js";
import { assertPath } from "@perdura/internals/files/places.js";
import { statOf } from "@perdura/internals/files/stat_of.js";
import { withStorage } from "@perdura/internals/errors/storage_errors.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { BackupFormat } from "../layout/versions.ts";

/**
 * Determines the format of a file from its content, not from its name.
 *
 * @throws FileNotFoundError, ValidationError for anything but a regular file, UnsupportedFormatError for any other
 * format.
 */
export function kindOf(argument: string, path: string, busyTimeoutMs: number): BackupFormat {
  assertPath(argument, path);
  const found = statOf(path);
  if (found === undefined) throw new FileNotFoundError("no such file. Nothing was changed.", { path });
  if (!found.isFile()) {
    const what = found.isDirectory() ? "a directory" : "not a regular file";
    throw new ValidationError(`${path} is ${what}; expected a file. Nothing was changed.`, { argument, path });
  }
  if (found.size > 0 && isDatabase(path, busyTimeoutMs)) return "sqlite";
  const start = withStorage(path, "reading", () => startOf(path));
  if (/^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(start)) return "json";
  const what = start === "" ? "an empty file" : "a file that is neither a JSON object nor an SQLite database";
  throw new UnsupportedFormatError(`expected a pattern library, found ${what}. Nothing was changed.`, { path });
}

/**
 * Opens the file with SQLite, which knows the connections of this process: opening and closing a database in any other
 * way would drop their locks. SQLite may first roll back what a killed writer left, because it cannot read the file
 * otherwise. A damaged database counts as a database.
 */
function isDatabase(path: string, busyTimeoutMs: number): boolean {
  try {
    openDatabase(path, { access: "query", busyTimeoutMs }).close();
    return true;
  } catch (error) {
    if (!isPerduraError(error, "PERDURA_CORRUPT_DATA")) throw error;
    return (error.cause as { code?: unknown } | undefined)?.code !== "SQLITE_NOTADB";
  }
}

/** Bytes that are read: our documents have at most a byte order mark and a few blanks before the first brace. */
const LENGTH = 16;

function startOf(path: string): string {
  const descriptor = openSync(path, "r");
  try {
    const start = Buffer.alloc(LENGTH);
    const length = readSync(descriptor, start, 0, start.length, 0);
    return start.toString("latin1", 0, length);
  } finally {
    closeSync(descriptor);
  }
}
