import { FileNotFoundError, UnsupportedFormatError, ValidationError } from "@perdura/internals/errors/errors.js";
import { isDatabaseHead } from "@perdura/internals/files/guarded_file.js";
import { irregularKind } from "@perdura/internals/files/irregular_kind.js";
import { assertPath } from "@perdura/internals/files/places.js";
import { readHead } from "@perdura/internals/files/read_bytes.js";
import { statOf } from "@perdura/internals/files/stat_of.js";
import { withStorage } from "@perdura/internals/files/storage_errors.js";
import type { BackupFormat } from "../layout/versions.ts";

/**
 * Determines the format of a file from its content, not from its name.
 *
 * @throws FileNotFoundError, ValidationError for anything but a regular file, UnsupportedFormatError for any other
 * format.
 */
export function kindOf(argument: string, path: string): BackupFormat {
  assertPath(argument, path);
  const found = statOf(path);
  if (found === undefined) throw new FileNotFoundError("no such file. Nothing was changed.", { path });
  const irregular = irregularKind(found);
  if (irregular !== undefined)
    throw new ValidationError(`${path} is ${irregular}; expected a file. Nothing was changed.`, { argument, path });
  const head = withStorage(path, "reading", () => readHead(path, LENGTH));
  if (isDatabaseHead(head)) return "sqlite";
  const start = head.toString("latin1");
  if (/^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(start)) return "json";
  const what = start === "" ? "an empty file" : "a file that is neither a JSON object nor an SQLite database";
  throw new UnsupportedFormatError(`expected a pattern library, found ${what}. Nothing was changed.`, { path });
}

/** Bytes that are read: our documents have at most a byte order mark and a few blanks before the first brace. */
const LENGTH = 16;
