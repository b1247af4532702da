import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";

/** What a name may take as a part of a key: file systems take 255 bytes, and a name in a listing is still to be read. */
const LONGEST = 200;

/** In every store and file system these mean themselves. `Team` and `team` would be one directory on half of the machines. */
const PLAIN = /^[a-z0-9_-]$/;

/** Stores written before have capital letters as they are. */
const PLAIN_BEFORE = /^[A-Za-z0-9_-]$/;

/**
 * A library's name as a part of a key: small letters, digits, `_` and `-` as they are, dots within it too, every other byte
 * of UTF-8 as `%` and two digits. A dot at an end would be a hidden file, a parent directory, or lost on Windows.
 *
 * @throws ValidationError for what is no name.
 */
export function encodeName(name: unknown): string {
  return fitting(percentEncoded(assertName(name), PLAIN));
}

/**
 * The parts of keys under which versions of a library may lie, the one that new ones get first: capital letters were
 * written as they are before.
 *
 * @throws ValidationError for what is no name.
 */
export function foldersOf(name: unknown): string[] {
  const encoded = new Set([PLAIN, PLAIN_BEFORE].map((plain) => percentEncoded(assertName(name), plain)));
  const folders = [...encoded].filter((folder) => folder.length <= LONGEST);
  return folders.length > 0 ? folders : [encodeName(name)];
}

function assertName(name: unknown): string {
  if (typeof name === "string" && name !== "" && name.isWellFormed()) return name;
  throw new ValidationError(
    `expected a string that is not empty and is well-formed Unicode, got ${describe(name)}. Nothing was changed.`,
    { argument: "name" },
  );
}

function percentEncoded(name: string, plain: RegExp): string {
  return [...name]
    .map((character, index, all) => {
      const isInner = index > 0 && index < all.length - 1;
      return plain.test(character) || (character === "." && isInner) ? character : escaped(character);
    })
    .join("");
}

function fitting(encoded: string): string {
  if (encoded.length <= LONGEST) return encoded;
  throw new ValidationError(
    `expected at most ${LONGEST} characters, those that are not small ASCII letters, digits, "_", "-" or "." counting three for each byte of UTF-8, got ${encoded.length}. Nothing was changed.`,
    { argument: "name" },
  );
}

function escaped(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

/** The name that is encoded so; undefined for what {@link foldersOf} does not make. */
export function decodeName(encoded: string): string | undefined {
  try {
    const name = decodeURIComponent(encoded);
    return foldersOf(name).includes(encoded) ? name : undefined;
  } catch {
    // Not ours: a directory of somebody else beside our own.
    return undefined;
  }
}

/** Where versions belong that lie in a folder as it was named before; undefined for any other folder. */
export function renamedFolder(folder: string): string | undefined {
  const name = decodeName(folder);
  const [first] = name === undefined ? [] : foldersOf(name);
  return first === folder ? undefined : first;
}
