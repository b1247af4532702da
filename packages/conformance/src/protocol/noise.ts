import { escapeControls } from "../values/escape.ts";

/**
 * Words for output that is no answer. The same line gets the same words, whether it came alone or together with an
 * answer: which of the two happens is a matter of timing.
 * @param lines what came, without line feeds.
 */
export function noiseFault(lines: readonly string[]): string | undefined {
  const noise = lines.find((line) => !line.startsWith("{"));
  if (noise === undefined) return undefined;
  const shown = escapeControls(JSON.stringify(noise.length > 120 ? `${noise.slice(0, 120)}…` : noise));
  return `the adapter wrote something that is no answer to its standard output: ${shown}. Standard output is for answers only; use standard error`;
}
