import type { Rolldown } from "tsdown";

/** `import first, { second as other } from "node:fs";` */
const IMPORT = /^import (?:(\w+)|(?:(\w+), )?\{([^}]*)\}|\* as (\w+)) from "(node:[\w/]+)";$/gm;

/** Modules that take Node.js several milliseconds, and of which we use functions only: they are loaded by the first call. */
const SLOW: ReadonlySet<string> = new Set(["node:child_process", "node:crypto", "node:readline", "node:zlib"]);

/**
 * Replaces imports of Node.js's own modules. For an `import`, Node.js reads every property of the module, and some of them
 * load other modules: `node:fs` the streams, `node:util` the parsers. This takes several milliseconds for each module.
 */
export function builtinModules(): Rolldown.Plugin {
  return {
    name: "builtin-modules",
    // The lines stay the same, and with them the source maps.
    generateBundle(_, files) {
      for (const file of Object.values(files))
        if (file.type === "chunk" && file.fileName.endsWith(".js")) file.code = withoutImports(file.code);
    },
  };
}

function withoutImports(code: string): string {
  return code.replaceAll(IMPORT, (_, only?: string, first?: string, names?: string, all?: string, module = "") => {
    const whole = only ?? first ?? all;
    const parts = (names ?? "").split(",").map((part) => part.trim().split(" as ") as [string, string?]);
    const loaded = `process.getBuiltinModule("${module}")`;
    if (SLOW.has(module) && whole === undefined)
      return parts.map(([name, own = name]) => `const ${own} = (...given) => ${loaded}.${name}(...given);`).join(" ");
    const pattern = `{ ${parts.map((part) => part.join(": ")).join(", ")} }`;
    if (whole === undefined) return `const ${pattern} = ${loaded};`;
    return `const ${whole} = ${loaded}${names === undefined ? "" : `, ${pattern} = ${whole}`};`;
  });
}
