import { readHead } from "@perdura/internals/files/read_bytes.js";

/** Bytes of a file that are read to recognise its kind. */
const HEAD = 1 << 16;

/** The beginning of a text file; empty if it cannot be read. The caller knows that it is a regular file. */
export function headOf(path: string): string {
  try {
    const bytes = readHead(path, HEAD);
    return new TextDecoder(utf16Of(bytes) ?? "utf-8").decode(bytes);
  } catch {
    return "";
  }
}

/** UTF-16 if the text has its byte order mark, or the zeros that ASCII characters have in it. */
export function utf16Of(bytes: Uint8Array): "UTF-16LE" | "UTF-16BE" | undefined {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return "UTF-16LE";
  if (first === 0xfe && second === 0xff) return "UTF-16BE";
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return "UTF-16LE";
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? "UTF-16BE" : undefined;
}

/** A truncated string extends to the end, so that its content is not read as JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gs;

/**
 * The top-level keys of a JSON object, with the offset of each value, as far as they can be found in a text that may be
 * truncated anywhere.
 */
export function topLevelValues(text: string): Map<string, number> {
  const values = new Map<string, number>();
  if (!/^\s*\{/.test(text)) return values;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1) {
      const value = afterColon(text, index + token.length);
      if (value !== undefined) values.set(unquoted(token), value);
    }
  }
  return values;
}

/** A sticky expression tests one position only, so long texts cost nothing. */
function afterColon(text: string, at: number): number | undefined {
  const colon = /\s*:\s*/y;
  colon.lastIndex = at;
  return colon.test(text) ? colon.lastIndex : undefined;
}

/**
 * The string at an offset of a JSON text, or the text of a number or a literal; undefined for a truncated value, an
 * array or an object.
 */
export function scalarAt(text: string, at: number): string | undefined {
  const scalar = /"(?:[^"\\]|\\.)*"|[^\s",:{}[\]]+/sy;
  scalar.lastIndex = at;
  const found = scalar.exec(text)?.[0];
  return found?.startsWith('"') === true ? unquoted(found) : found;
}

/** An invalid JSON string stays as written; no known key is written so. */
function unquoted(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    return token;
  }
}

/**
 * True for the beginning of a pattern library (specification, section 2.4). Other programs have lists of patterns as
 * well: a library also has contributions, or its first pattern has an owner or a type, unless the text ends before.
 */
export function isLibraryHead(text: string): boolean {
  const values = topLevelValues(text);
  const at = values.get("patterns");
  if (at !== undefined && endsInFirstPattern(text, at)) return true;
  if (at !== undefined && text[at] !== "[") return false;
  if (text[values.get("agent_contributions") ?? text.length] === "{") return true;
  return at !== undefined && BEGINS_PATTERN.test(text.slice(at, at + HEAD)) && OF_PATTERN.test(text);
}

const BEGINS_PATTERN = /^\[\s*\{/;

/** Keys that a pattern has and lists of other programs do not have. */
const OF_PATTERN = /"(?:agent_id|pattern_type)"\s*:/;

/** True for a whole text that ends before the first pattern is complete: a program was killed while it wrote it. */
function endsInFirstPattern(text: string, at: number): boolean {
  if (text.length >= HEAD || !/^(?:$|\[\s*(?:\{|$))/.test(text.slice(at))) return false;
  let depth = 0;
  for (const { 0: token } of text.slice(at).matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth < 2 && /[}\]]/.test(token)) return false;
  }
  return true;
}

/** True for the beginning of a document with an array of patterns, which may be empty. */
export function hasPatternList(text: string): boolean {
  const at = topLevelValues(text).get("patterns");
  return at !== undefined && text[at] === "[";
}

/** True for the keys of a pattern library (specification, section 2.3); its patterns may have any other keys. */
export function isPatternLibrary(keys: Pick<ReadonlySet<string>, "has">): boolean {
  return keys.has("patterns") || keys.has("agent_contributions");
}
