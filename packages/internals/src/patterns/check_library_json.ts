import { TextTable } from "../text/text_table.ts";
import { LibraryDocument } from "./json_document.ts";
import { readLibrary } from "./json_load.ts";

/**
 * Reads a library file to its end like `loadLibraryFromJson`, but only keeps the ids of its patterns.
 *
 * @param shownAs The name of the file in errors, if the path is a temporary one.
 * @returns Number of patterns.
 * @throws The errors of `loadLibraryFromJson`.
 */
export function checkLibraryJson(filepath: string, shownAs: string = filepath): number {
  const document = new LibraryDocument({ newIds: () => new TextTable() });
  readLibrary(filepath, shownAs, document);
  return document.count;
}
