import { readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Rolldown } from "tsdown";

const PACKAGES = fileURLToPath(new URL("../../packages/", import.meta.url));

interface SourceMap {
  sources: string[];
  sourcesContent?: unknown;
}

/**
 * Adds the sources that the source maps name to the package, each once, and lets the maps refer to them: editors open a
 * definition only in a file that exists, and the sources of internals are outside of the package.
 *
 * @param ofCode False to keep only the maps of declarations.
 */
export function shippedSources(ofCode: boolean): Rolldown.Plugin {
  return {
    name: "shipped-sources",
    generateBundle: {
      order: "post",
      handler({ dir = "dist" }, files) {
        const added = new Set<string>();
        for (const [name, file] of Object.entries(files)) {
          if (!ofCode && name.endsWith(".js.map")) {
            delete files[name];
          } else if (!ofCode && name.endsWith(".js") && file.type === "chunk") {
            file.code = file.code.replace(/\n\/\/# sourceMappingURL=.*$/, "\n");
          } else if (name.endsWith(".map") && file.type === "asset") {
            const map = JSON.parse(String(file.source)) as SourceMap;
            delete map.sourcesContent;
            const paths = map.sources.map((source) => resolve(dir, dirname(name), source));
            for (const path of paths.filter((each) => !added.has(each)))
              this.emitFile({ type: "asset", fileName: shippedName(path), source: readFileSync(path) });
            for (const path of paths) added.add(path);
            map.sources = paths.map((path) => posix.relative(posix.dirname(name), shippedName(path)));
            file.source = JSON.stringify(map);
          }
        }
      },
    },
  };
}

/** The name of a source below `dist`. Node.js would read a second `package.json`. */
function shippedName(path: string): string {
  return join("sources", relative(PACKAGES, path))
    .replace(`${sep}src${sep}`, sep)
    .replace(/package\.json$/, "manifest.json")
    .replaceAll(sep, "/");
}
