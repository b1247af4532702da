/** Outcome of reading bytes with `JSON.parse`. */
export interface Plainly {
  /** False for bytes that are not UTF-8, or text that is not JSON. */
  isJson: boolean;
  value: unknown;
  text: string;
}

/** Reads bytes with JavaScript's own means: a byte order mark is skipped, bytes that are not UTF-8 are refused. */
export function plainly(bytes: Buffer): Plainly {
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { isJson: true, value: JSON.parse(text) as unknown, text };
  } catch {
    return { isJson: false, value: undefined, text };
  }
}

/** Nesting depth of arrays and objects. */
export function depthOf(text: string): number {
  let [deepest, depth] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\[^])*?"|[[\]{}]/g)) {
    if (token === "[" || token === "{") depth += 1;
    if (token === "]" || token === "}") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** True if a key is written with escapes: V8 reads some of them wrongly, so these texts cannot be compared with it. */
export function hasEscapedKeys(text: string): boolean {
  return /\\[^]*:/.test(text);
}
