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
 * What a file is, by what is in it: names tell nothing.
 *
 * @throws FileNotFoundError, ValidationError for what is no regular file, UnsupportedFormatError for what is neither.
 */
export function kindOf(argument: string, path: string, busyTimeoutMs: number): BackupFormat {
  assertPath(argument, path);
  const found = statOf(path);
  if (found === undefined) throw new FileNotFoundError(`no such file. Nothing was stored.`, { path });
  if (!found.isFile()) {
    const what = found.isDirectory() ? "a directory" : "no regular file";
    throw new ValidationError(`${path} is ${what}; expected a file. Nothing was stored.`, { argument, path });
  }
  if (found.size > 0 && isDatabase(path, busyTimeoutMs)) return "sqlite";
  const start = withStorage(path, "reading", () => startOf(path));
  if (/^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(start)) return "json";
  const what = start === "" ? "an empty file" : "neither JSON that begins with { nor an SQLite database";
  throw new UnsupportedFormatError(`expected a pattern library, found ${what}. Nothing was stored.`, { path });
}

/**
 * Asks SQLite, which knows what connections this process has: to open and close a database in any other way would drop
 * their locks. It may finish what a killed writer left, without which it could not look. A damaged one is one as well.
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

/** More than a mark and some blanks before the first brace are none of ours. */
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
