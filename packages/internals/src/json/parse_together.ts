import { randomBytes } from "node:crypto";
import { needsStrictReader } from "./needs_strict_reader.ts";

/** Number of characters up to which a text is read together with others. */
const SHORT = 1 << 14;

let separator: string | undefined;

/**
 * A value between two texts. It is random, so that no text contains it: then each text is exactly one value. V8 keeps
 * equal strings of up to ten characters once. Without digits, it cannot look like a number.
 */
function randomSeparator(): string {
  return randomBytes(7).toString("base64url").replaceAll(/\d/g, "_");
}

/**
 * Reads many short JSON texts by one call of `JSON.parse`, which takes a quarter less time than {@link parseJson} for each.
 *
 * @returns The values; undefined if the texts must be read one by one, because one of them is not JSON, needs the strict
 * reader, or is too long.
 */
export function parseTogether(texts: readonly string[]): unknown[] | undefined {
  for (const text of texts) if (text.length > SHORT) return undefined;
  const between = (separator ??= randomSeparator());
  const together = `[${texts.join(`,"${between}",`)}]`;
  if (needsStrictReader(together)) return undefined;
  const values: unknown[] = [];
  try {
    for (const [place, value] of (JSON.parse(together) as unknown[]).entries()) {
      if (place % 2 === 0) values.push(value);
      else if (value !== between) return undefined;
    }
  } catch {
    return undefined;
  }
  return values.length === texts.length ? values : undefined;
}
