import type { Rolldown } from "tsdown";

/**
 * Libraries that the default `lib` may lack: with the target ES5, generators and promises; with every target,
 * `Symbol.dispose` and `Symbol.asyncDispose`.
 */
const LIBRARIES = '/// <reference lib="es2018" />\n/// <reference lib="esnext.disposable" />\n';

/**
 * Changes declarations so that they compile with the default settings of every supported compiler: without `types`, with
 * the `lib` of an old `target`, and without `skipLibCheck`.
 */
export function portableTypes(): Rolldown.Plugin {
  return {
    name: "portable-types",
    generateBundle: {
      order: "post",
      handler(_, files) {
        for (const file of Object.values(files)) {
          if (file.type === "chunk" && file.fileName.endsWith(".d.ts")) file.code = portable(file.code);
          if (file.type === "asset" && file.fileName.endsWith(".d.ts.map")) file.source = moved(String(file.source));
        }
      },
    },
  };
}

function portable(declarations: string): string {
  const text = declarations
    // An import without names remains of packages whose types are not used.
    .replaceAll(/^import "[^"]+";$/gm, "")
    // Only types that users do not call name this class of `@types/node`.
    .replaceAll(/(?<=: |<)Buffer\b/g, "Uint8Array")
    // Private names are an error for the target ES5, the default of TypeScript 5. A private field also keeps other objects
    // from being passed as an instance. Its name contains the class, because a subclass must not have the same.
    .replaceAll(
      /^((?:export )?declare (?:abstract )?class (\w+)[^\n]*\n {2})#private;$/gm,
      "$1private readonly _privateOf$2;",
    );
  if (text.includes("#private")) throw new Error("a declaration of a class with private names has an unknown form");
  return LIBRARIES + text;
}

/** The source map of a declaration before which {@link LIBRARIES} was put: in `mappings`, a semicolon ends each line. */
function moved(text: string): string {
  const map = JSON.parse(text) as { mappings: string };
  return JSON.stringify({ ...map, mappings: LIBRARIES.replaceAll(/[^\n]+\n/g, ";") + map.mappings });
}
