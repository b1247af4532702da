import { variable } from "./libpq_settings.ts";

/** The texts of an error that the server, or the driver, wrote. */
const TEXTS = ["message", "stack", "detail", "hint", "where"] as const;

/** Shorter pieces are in ordinary words as well. */
const SHORTEST = 3;

/**
 * Takes out of an error what the server repeats of `options`, where a password may have got to by mistake.
 *
 * @param options As the address has them; otherwise the environment variable `PGOPTIONS` counts.
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

/** Words and values of settings, the longest first. A backslash takes the meaning from the character behind it. */
function piecesOf(options: string): string[] {
  const words = (options.match(/(?:\\.|[^\s\\])+/gs) ?? []).map((word) => word.replaceAll(/\\(.)/gs, "$1"));
  return words
    .flatMap((word) => [word, word.replace(/^-{1,2}c?/, ""), word.slice(word.indexOf("=") + 1)])
    .filter((piece) => piece.length >= SHORTEST)
    .sort((one, other) => other.length - one.length);
}
