import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";

/** What a name may take as a part of a key: file systems take 255 bytes, and a name in a listing is still to be read. */
const LONGEST = 200;

/** In every store and file system these mean themselves. */
const PLAIN = /^[A-Za-z0-9_-]$/;

/**
 * A library's name as a part of a key: letters, digits, `_` and `-` as they are, dots within it too, every other byte of
 * UTF-8 as `%` and two digits. A dot at an end would be a hidden file, a parent directory, or lost on Windows.
 *
 * @throws ValidationError for what is no name.
 */
export function encodeName(name: unknown): string {
  if (typeof name !== "string" || name === "" || !name.isWellFormed())
    throw new ValidationError(
      `name: expected a string that is not empty and is well-formed Unicode, got ${describe(name)}. Nothing was changed.`,
    );
  const encoded = [...name]
    .map((character, index, all) => {
      const isInner = index > 0 && index < all.length - 1;
      return PLAIN.test(character) || (character === "." && isInner) ? character : escaped(character);
    })
    .join("");
  if (encoded.length > LONGEST)
    throw new ValidationError(
      `name: expected at most ${LONGEST} characters, those that are not ASCII letters, digits, "_", "-" or "." counting three for each byte of UTF-8, got ${encoded.length}. Nothing was changed.`,
    );
  return encoded;
}

function escaped(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

/** The name that is encoded so; undefined for what {@link encodeName} does not make. */
export function decodeName(encoded: string): string | undefined {
  try {
    const name = decodeURIComponent(encoded);
    return encodeName(name) === encoded ? name : undefined;
  } catch {
    // Not ours: a directory of somebody else beside our own.
    return undefined;
  }
}
