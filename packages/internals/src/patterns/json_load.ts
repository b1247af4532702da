import { resolve } from "node:path";
import { FileNotFoundError } from "../errors/errors.ts";
import { storageErrorOf } from "../errors/storage_errors.ts";
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
  tellInvalid,
} from "./invalid_patterns.ts";
import type { PatternLibrary } from "./library.ts";
import type { Pattern } from "./pattern.ts";
import type { FaultTaker } from "./received_patterns.ts";

/**
 * Reads a pattern library file (specification, sections 2.4 and 4.1) of any size. In addition to the library it needs a few
 * megabytes of memory.
 *
 * @throws FileNotFoundError when there is no such file.
 * @throws JSONDecodeError with line and column when it is not JSON.
 * @throws ValidationError with a JSON Pointer when it is not a pattern library.
 * @throws UnsupportedFormatError when `metadata.version` is not `1.x`.
 */
export function loadLibraryFromJson(filepath: string, options: LibraryLoadOptions = {}): PatternLibrary {
  assertPath("filepath", filepath);
  assertLibraryLoadOptions(options);
  const { nonFinite, onInvalid } = options;
  const invalid: InvalidPattern[] = [];
  const onFault: FaultTaker = (index, value, fault) => invalid.push(invalidItem(filepath, index, value, fault));
  const document = new LibraryDocument({ nonFinite, onFault: onInvalid && onFault });
  const library = readLibrary(filepath, filepath, document);
  tellInvalid(library, resolve(filepath), invalid, onInvalid);
  return library;
}

function invalidItem(path: string, index: number, value: unknown, { pointer, reason }: DocumentFault): InvalidPattern {
  const id = isPlainObject(value) && typeof value["id"] === "string" ? value["id"] : undefined;
  const field = pointer.split("/")[1];
  return { path, place: `/patterns/${index}${pointer}`, id, field, reason };
}

/**
 * Reads such a file to its end as {@link loadLibraryFromJson} does, and keeps no more than the ids of its patterns.
 *
 * @param shownAs The name of the file in errors, where the path is a temporary one.
 * @returns How many patterns it has.
 * @throws What {@link loadLibraryFromJson} throws.
 */
export function checkLibraryJson(filepath: string, shownAs: string = filepath): number {
  return readLibrary(
    filepath,
    shownAs,
    new LibraryDocument({ toKeep: ({ id, agent_id }) => ({ id, agent_id }) as Pattern }),
  ).patterns.size;
}

/**
 * Reads such a file into a document that says what to keep of it.
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
