import { basename } from "node:path";
import { headOf, scalarAt, topLevelValues } from "../io/json_head.ts";

/** Names that programs give to pattern libraries. */
const LIBRARY_NAME = /(?:^|[^a-z])(?:patterns?|pattern[_-]?library)(?:[^a-z].*)?\.json$/i;

/** First bytes of compressed files. */
const COMPRESSED: readonly [name: string, bytes: readonly number[]][] = [
  ["gzip", [0x1f, 0x8b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["zip", [0x50, 0x4b, 0x03, 0x04]],
];

/** Keys that only a pattern library has, next to `patterns`. */
const OF_LIBRARY = ["agent_contributions", "metadata"] as const;

/**
 * Describes the fault of a JSON file that is probably meant to be a pattern library, but does not begin like one. Other
 * programs have files with such names or with such keys: in a directory, the name counts together with damage or keys.
 *
 * @param bytes First bytes of the file.
 * @param isTarget True if the caller named this file.
 * @returns Part of a sentence; undefined for a file that is probably not a library.
 */
export function faultOfLibrary(path: string, bytes: Uint8Array, isTarget: boolean): string | undefined {
  const isNamed = LIBRARY_NAME.test(basename(path));
  const damage = isNamed ? damageOf(bytes) : undefined;
  if (damage !== undefined) return damage;
  if (bytes.length === 0) return isTarget && isNamed ? "it is empty (0 bytes)" : undefined;
  const text = headOf(path);
  const values = topLevelValues(text);
  const at = values.get("patterns");
  const hasOtherKeys = OF_LIBRARY.some((key) => values.has(key));
  if (at !== undefined && text[at] !== "[" && (isTarget || (isNamed && hasOtherKeys)))
    return `its member patterns is ${kindAt(text, at)}, expected an array`;
  return isTarget && isNamed ? faultOfText(text, at !== undefined) : undefined;
}

function damageOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes.every((byte) => byte === 0)) return "it begins with zeros, which a power failure can cause";
  const found = COMPRESSED.find(([, magic]) => magic.every((byte, index) => bytes[index] === byte));
  return found === undefined ? undefined : `it is compressed with ${found[0]}`;
}

function kindAt(text: string, at: number): string {
  if (text[at] === "{") return "an object";
  const scalar = scalarAt(text, at);
  return text[at] === '"' ? "text" : (scalar ?? "missing");
}

/** A list of patterns of another kind, and an empty one, are valid. */
function faultOfText(text: string, hasPatterns: boolean): string | undefined {
  if (hasPatterns) return undefined;
  if (text.includes("\0")) return "it is not text in UTF-8";
  const start = /^\uFEFF?(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$)|#[^\n]*(?:\n|$))*/.exec(text)?.[0] ?? "";
  if (start.length === text.length) return "it has no JSON value, only blanks or comments";
  if (/\S/.test(start.replace("\uFEFF", ""))) return "it begins with a comment, which JSON does not have";
  const first = text[start.length];
  if (first === "[") return "it is a JSON array, expected an object with an array patterns";
  return first === "{" ? "it is an object without a member patterns" : "it is not a JSON object";
}
