import { FileNotFoundError } from "../errors/errors.ts";
import { storageErrorOf } from "../errors/storage_errors.ts";
import { assertPath } from "../files/places.ts";
import { withFileBytes } from "../files/read_bytes.ts";
import { decodeDocument } from "../json/decode_document.ts";
import { LibraryDocument } from "./json_document.ts";
import type { PatternLibrary } from "./library.ts";

/**
 * Reads a pattern library file (specification, sections 2.4 and 4.1) of any size. Beside the library itself it needs a few
 * megabytes.
 *
 * @throws FileNotFoundError when there is no such file.
 * @throws JSONDecodeError with line and column when it is not JSON.
 * @throws ValidationError with a JSON Pointer when it is no pattern library.
 * @throws UnsupportedFormatError when `metadata.version` is not `1.x`.
 */
export function loadLibraryFromJson(filepath: string): PatternLibrary {
  assertPath("filepath", filepath);
  try {
    return withFileBytes(filepath, (read) => {
      const document = new LibraryDocument();
      decodeDocument(read, filepath, document);
      return document.library(filepath);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw storageErrorOf(error, filepath, "loading");
    throw new FileNotFoundError(`${filepath}: no such file.`, { path: filepath, cause: error });
  }
}
