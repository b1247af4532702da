import { closeSync, openSync, readSync, statSync } from "node:fs";
import { FileNotFoundError, UnsupportedFormatError, ValidationError } from "@perdura/internals/errors/errors.js";
import { assertPath } from "@perdura/internals/files/places.js";
import { withStorage } from "@perdura/internals/errors/storage_errors.js";
import { isOpenHere } from "@perdura/internals/sqlite/open_files.js";
import type { BackupFormat } from "../layout/versions.ts";

/** The first sixteen bytes of every SQLite database that has content. */
const MAGIC = "SQLite format 3\0";

/**
 * What a file is, by its first bytes: names tell nothing.
 *
 * @throws FileNotFoundError, ValidationError for what is no regular file, UnsupportedFormatError for what is neither.
 */
export function kindOf(argument: string, path: string): BackupFormat {
  assertPath(argument, path);
  const found = withStorage(path, "looking at it", () => statSync(path, { throwIfNoEntry: false }));
  if (found === undefined) throw new FileNotFoundError(`${path}: no such file. Nothing was stored.`, { path });
  if (!found.isFile()) {
    const what = found.isDirectory() ? "a directory" : "no regular file";
    throw new ValidationError(`${argument}: ${path} is ${what}; expected a file. Nothing was stored.`, { path });
  }
  // To open and close the file here would drop the locks of a connection that this process has on it.
  if (isOpenHere(path)) return "sqlite";
  const start = withStorage(path, "reading", () => startOf(path));
  if (start === MAGIC) return "sqlite";
  if (/^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(start)) return "json";
  const what = start === "" ? "an empty file" : "neither JSON that begins with { nor an SQLite database";
  throw new UnsupportedFormatError(`${path}: expected a pattern library, found ${what}. Nothing was stored.`, { path });
}

function startOf(path: string): string {
  const descriptor = openSync(path, "r");
  try {
    const start = Buffer.alloc(MAGIC.length);
    const length = readSync(descriptor, start, 0, start.length, 0);
    return start.toString("latin1", 0, length);
  } finally {
    closeSync(descriptor);
  }
}
