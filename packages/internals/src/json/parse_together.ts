import { needsStrictReader } from "./needs_strict_reader.ts";

/** Number of characters up to which a text is examined together with others. */
const SHORT = 1 << 14;

/**
 * Reads many short JSON texts, which are examined together for what `JSON.parse` may read incorrectly.
 *
 * @returns The values; undefined if the texts must be read one by one, because one of them is not JSON, needs the strict
 * reader, or is too long.
 */
export function parseTogether(texts: readonly string[]): unknown[] | undefined {
  for (const text of texts) if (text.length > SHORT) return undefined;
  if (needsStrictReader(texts.join("\n"))) return undefined;
  try {
    return texts.map((text) => JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
