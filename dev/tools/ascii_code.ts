import type { Rolldown } from "tsdown";

/**
 * Writes every other character of the code as an escape. A single one makes V8 keep the whole file with two bytes a
 * character; it then takes a third more time to load a large file whose compiled code is known.
 */
export function asciiCode(): Rolldown.Plugin {
  return {
    name: "ascii-code",
    generateBundle(_, files) {
      for (const file of Object.values(files))
        if (file.type === "chunk" && file.fileName.endsWith(".js")) file.code = escaped(file.code);
    },
  };
}

/** Correct in texts, templates and regular expressions; our sources have no such characters elsewhere. */
function escaped(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
