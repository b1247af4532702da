import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";

/** Maximum length of an encoded name: file systems allow 255 bytes, and a name in a listing has to stay readable. */
const LONGEST = 200;

/**
 * Characters that need no encoding in any store or file system. Capital letters do: `Team` and `team` would be one
 * directory on many machines.
 */
const PLAIN = /^[a-z0-9_-]$/;

/**
 * Encodes a library's name as a part of a key: lower-case letters, digits, `_`, `-` and inner dots stay, every other
 * byte of UTF-8 becomes `%` and two digits. A dot at the beginning or end would make a hidden file or a parent
 * directory, or be lost on Windows.
 *
 * @throws ValidationError for an invalid name.
 */
export function encodeName(name: unknown): string {
  const encoded = percentEncoded(assertName(name));
  if (encoded.length <= LONGEST) return encoded;
  throw new ValidationError(
    `expected a name of at most ${LONGEST} characters, got ${encoded.length}; all except lower-case ASCII letters, digits, "_", "-" and "." count three for each byte of UTF-8. Nothing was changed.`,
    { argument: "name" },
  );
}

function assertName(name: unknown): string {
  if (typeof name === "string" && name !== "" && name.isWellFormed()) return name;
  throw new ValidationError(
    `expected a non-empty string of well-formed Unicode, got ${describe(name)}. Nothing was changed.`,
    { argument: "name" },
  );
}

function percentEncoded(name: string): string {
  return [...name]
    .map((character, index, all) => {
      const isInner = index > 0 && index < all.length - 1;
      return PLAIN.test(character) || (character === "." && isInner) ? character : escaped(character);
    })
    .join("");
}

function escaped(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

/** Decodes a name; undefined for text that {@link encodeName} does not return. */
export function decodeName(encoded: string): string | undefined {
  try {
    const name = decodeURIComponent(encoded);
    return encodeName(name) === encoded ? name : undefined;
  } catch {
    // A foreign directory next to ours.
    return undefined;
  }
}
