import { variable } from "./libpq_settings.ts";

/** Properties of an error whose text the server or the driver wrote. */
const TEXTS = ["message", "stack", "detail", "hint", "where"] as const;

/** Minimum length of a piece to hide; shorter ones also occur in ordinary words. */
const SHORTEST = 3;

/**
 * Removes values of `options` that the server repeats in an error, because they may contain a password by mistake.
 *
 * @param options Value in the address; if absent, the environment variable `PGOPTIONS` is used.
 */
export function hideOptions(error: unknown, options: string | undefined): void {
  if (!(error instanceof Error)) return;
  const pieces = piecesOf(options ?? variable("PGOPTIONS") ?? "");
  const texts = error as Error & Partial<Record<(typeof TEXTS)[number], unknown>>;
  for (const name of TEXTS) {
    const text = texts[name];
    if (typeof text === "string" && pieces.some((piece) => text.includes(piece)))
      texts[name] = pieces.reduce((rest, piece) => rest.replaceAll(piece, "…"), text);
  }
}

/** Words and values of settings, the longest first. A backslash escapes the character after it. */
function piecesOf(options: string): string[] {
  const words = (options.match(/(?:\\.|[^\s\\])+/gs) ?? []).map((word) => word.replaceAll(/\\(.)/gs, "$1"));
  return words
    .flatMap((word) => [word, word.replace(/^-{1,2}c?/, ""), word.slice(word.indexOf("=") + 1)])
    .filter((piece) => piece.length >= SHORTEST)
    .sort((one, other) => other.length - one.length);
}
