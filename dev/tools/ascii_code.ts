import { decode, encode } from "@jridgewell/sourcemap-codec";
import type { Rolldown } from "tsdown";

/**
 * Writes every other character of the code as an escape. A single one makes V8 keep the whole file with two bytes a
 * character; it then takes a third more time to load a large file.
 */
export function asciiCode(): Rolldown.Plugin {
  return {
    name: "ascii-code",
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        if (file.type !== "chunk" || !file.fileName.endsWith(".js")) continue;
        const map = files[`${file.fileName}.map`];
        if (map?.type === "asset") map.source = ofEscaped(String(map.source), file.code.split("\n"));
        file.code = escaped(file.code);
      }
    },
  };
}

/** Correct in texts, templates and regular expressions; our sources have no such characters elsewhere. */
function escaped(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A source map of the code, as one of the escaped code: with its columns. */
function ofEscaped(source: string, lines: readonly string[]): string {
  const map = JSON.parse(source) as { mappings: string };
  const mappings = decode(map.mappings);
  for (const [index, segments] of mappings.entries())
    for (const segment of segments) segment[0] = escaped((lines[index] ?? "").slice(0, segment[0])).length;
  return JSON.stringify({ ...map, mappings: encode(mappings) });
}
