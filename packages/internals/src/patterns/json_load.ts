import { FileNotFoundError } from "../errors/errors.ts";
import { storageErrorOf } from "../errors/storage_errors.ts";
import { assertPath } from "../files/places.ts";
import { withFileBytes } from "../files/read_bytes.ts";
import { decodeDocument } from "../json/decode_document.ts";
import { LibraryDocument } from "./json_document.ts";
import { assertLoadOptions, type LoadOptions } from "../json/load_options.ts";
import type { PatternLibrary } from "./library.ts";
import type { Pattern } from "./pattern.ts";

/**
 * Reads a pattern library file (specification, sections 2.4 and 4.1) of any size. Beside the library itself it needs a few
 * megabytes.
 *
 * @throws FileNotFoundError when there is no such file.
 * @throws JSONDecodeError with line and column when it is not JSON.
 * @throws ValidationError with a JSON Pointer when it is no pattern library.
 * @throws UnsupportedFormatError when `metadata.version` is not `1.x`.
 */
export function loadLibraryFromJson(filepath: string, options?: LoadOptions): PatternLibrary {
  assertPath("filepath", filepath);
  assertLoadOptions(options);
  return readLibrary(filepath, filepath, new LibraryDocument({ nonFinite: options?.nonFinite }));
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

function readLibrary(filepath: string, shownAs: string, document: LibraryDocument): PatternLibrary {
  try {
    return withFileBytes(filepath, (read) => {
      decodeDocument(read, shownAs, document);
      return document.library(shownAs);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw storageErrorOf(error, shownAs, "loading");
    throw new FileNotFoundError(`${shownAs}: no such file.`, { path: shownAs, cause: error });
  }
}
