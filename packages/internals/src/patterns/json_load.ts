import { resolve } from "node:path";
import { FileNotFoundError } from "../errors/errors.ts";
import { storageErrorOf } from "../files/storage_errors.ts";
import { type FileVersion, versionAt } from "../files/file_version.ts";
import { assertPath } from "../files/places.ts";
import { withFileBytes } from "../files/read_bytes.ts";
import { decodeDocument } from "../json/decode_document.ts";
import type { DocumentFault } from "../json/schema_faults.ts";
import { isPlainObject } from "../json/values.ts";
import { LibraryDocument } from "./json_document.ts";
import {
  assertLibraryLoadOptions,
  type InvalidPattern,
  type LibraryLoadOptions,
  reportInvalid,
} from "./invalid_patterns.ts";
import type { PatternLibrary } from "./library.ts";
import type { FaultTaker } from "./received_patterns.ts";
import { rememberFile } from "./seen_file.ts";

/**
 * Reads a pattern library file (specification, sections 2.4 and 4.1) of any size. Reading needs a few megabytes of
 * memory in addition to the library.
 *
 * @throws FileNotFoundError if the file does not exist.
 * @throws JSONDecodeError with line and column if it is not JSON.
 * @throws ValidationError with a JSON Pointer if it is not a pattern library.
 * @throws UnsupportedFormatError if `metadata.version` is not `1.x`.
 */
export function loadLibraryFromJson(filepath: string, options: LibraryLoadOptions = {}): PatternLibrary {
  assertPath("filepath", filepath);
  assertLibraryLoadOptions(options);
  const { nonFinite, onInvalid } = options;
  const invalid: InvalidPattern[] = [];
  const onFault: FaultTaker = (index, value, fault) => invalid.push(invalidItem(filepath, index, value, fault));
  const document = new LibraryDocument({ nonFinite, onFault: onInvalid && onFault });
  // Taken before the file is read: a later version would be that of another program.
  const version = versionOf(filepath);
  const library = readLibrary(filepath, filepath, document);
  rememberFile(library, filepath, version);
  reportInvalid(library, resolve(filepath), invalid, onInvalid);
  return library;
}

/** A file that cannot be examined cannot be read either; reading reports the reason. */
function versionOf(filepath: string): FileVersion | undefined {
  try {
    return versionAt(filepath);
  } catch {
    return undefined;
  }
}

function invalidItem(
  path: string,
  index: number,
  value: unknown,
  { pointer, reason, field }: DocumentFault,
): InvalidPattern {
  const id = isPlainObject(value) && typeof value["id"] === "string" ? value["id"] : undefined;
  return { path, place: `/patterns/${index}${pointer}`, id, field: field ?? pointer.split("/")[1], reason };
}

/**
 * Reads a library file into a document, which selects the parts to keep.
 *
 * @param shownAs The name of the file in errors.
 */
export function readLibrary(filepath: string, shownAs: string, document: LibraryDocument): PatternLibrary {
  try {
    return withFileBytes(filepath, (read) => {
      decodeDocument(read, shownAs, document);
      return document.library(shownAs);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw storageErrorOf(error, shownAs, "loading");
    throw new FileNotFoundError(`no such file.`, { path: shownAs, cause: error });
  }
}
