import { closeSync, openSync, readSync } from "node:fs";

/** How much of a file is read to see what it is. */
const HEAD = 1 << 16;

/** The beginning of a text file; empty where it cannot be read. The caller knows that it is a regular file. */
export function headOf(path: string): string {
  const head = Buffer.allocUnsafe(HEAD);
  try {
    const descriptor = openSync(path, "r");
    try {
      return head.toString("utf8", 0, readSync(descriptor, head, 0, HEAD, 0)).replace(/^\ufeff/, "");
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}

/** A string that is cut off goes to the end: nothing behind it is looked at as if it began there. */
const TOKEN = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gs;

/**
 * The keys of a JSON object itself, not of what it holds, and where in the text the value of each begins; as far as they
 * can be seen in a text that may be cut off anywhere.
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

/** A sticky expression looks at one place, however long the text. */
function afterColon(text: string, at: number): number | undefined {
  const colon = /\s*:\s*/y;
  colon.lastIndex = at;
  return colon.test(text) ? colon.lastIndex : undefined;
}

/** The string that begins at a place of a JSON text, or the text of a number or a word; undefined for what is cut off, an array or an object. */
export function scalarAt(text: string, at: number): string | undefined {
  const scalar = /"(?:[^"\\]|\\.)*"|[^\s",:{}[\]]+/sy;
  scalar.lastIndex = at;
  const found = scalar.exec(text)?.[0];
  return found?.startsWith('"') === true ? unquoted(found) : found;
}

/** What JSON would not take stays as it is written; it is no key that anybody looks for. */
function unquoted(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    return token;
  }
}

/**
 * True for the beginning of a pattern library (specification, section 2.4). Programs of other kinds have lists of patterns
 * as well: here contributions stand beside them, or the first has an owner or a type.
 */
export function isLibraryHead(text: string): boolean {
  const values = topLevelValues(text);
  const at = values.get("patterns");
  if (at !== undefined && text[at] !== "[") return false;
  if (text[values.get("agent_contributions") ?? text.length] === "{") return true;
  return at !== undefined && /^\[\s*\{/.test(text.slice(at, at + HEAD)) && /"(?:agent_id|pattern_type)"\s*:/.test(text);
}

/** True for the keys of a pattern library (specification, section 2.3); its patterns may hold whatever else. */
export function isPatternLibrary(keys: Pick<ReadonlySet<string>, "has">): boolean {
  return keys.has("patterns") || keys.has("agent_contributions");
}
