/** What JSON as everybody has it says of some bytes. */
export interface Plainly {
  /** False for bytes that are not UTF-8, or text that is not JSON. */
  isJson: boolean;
  value: unknown;
  text: string;
}

/** Reads bytes with what JavaScript brings along: a byte order mark is skipped, bytes that are not UTF-8 are refused. */
export function plainly(bytes: Buffer): Plainly {
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { isJson: true, value: JSON.parse(text) as unknown, text };
  } catch {
    return { isJson: false, value: undefined, text };
  }
}

/** How deep arrays and objects are within each other. */
export function depthOf(text: string): number {
  let [deepest, depth] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\[^])*?"|[[\]{}]/g)) {
    if (token === "[" || token === "{") depth += 1;
    if (token === "]" || token === "}") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** True where a key is written with escapes: V8 reads some of them wrongly, so it is no judge of such texts. */
export function hasEscapedKeys(text: string): boolean {
  return /\\[^]*:/.test(text);
}
