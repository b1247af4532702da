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

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;

/** The keys of a JSON object itself, not of what it holds; as far as they can be seen in a text that may be cut off anywhere. */
export function topLevelKeys(text: string): Set<string> {
  const keys = new Set<string>();
  if (!/^\s*\{/.test(text)) return keys;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && isFollowedByColon(text, index + token.length)) keys.add(unquoted(token));
  }
  return keys;
}

/** A sticky expression looks at one place, however long the text. */
function isFollowedByColon(text: string, at: number): boolean {
  const colon = /\s*:/y;
  colon.lastIndex = at;
  return colon.test(text);
}

/** What JSON would not take stays as it is written; it is no key that anybody looks for. */
function unquoted(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    return token;
  }
}

/** True for the keys of a pattern library (specification, section 2.3); its patterns may hold whatever else. */
export function isPatternLibrary(keys: ReadonlySet<string>): boolean {
  return keys.has("patterns") || keys.has("agent_contributions");
}
