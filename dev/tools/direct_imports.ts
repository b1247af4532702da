import type { Rolldown } from "tsdown";

/** The only statement of a chunk that gives exports of another chunk their names: `export { t as main } from "./main.js";` */
const FORWARDING = /^export \{ ([^}]*) \} from "\.\/([^"]+)";\s*(?:\/\/# sourceMappingURL=\S+\s*)?$/;

/** `(await import("./main.js")).main` */
const IMPORTED = /\(await import\("\.\/([^"]+)"\)\)\.(\w+)/g;

/**
 * Lets `(await import("./main.js")).main` load the chunk that has the code. The bundler puts a file between that only names
 * the export, and Node.js needs half a millisecond for it.
 */
export function directImports(): Rolldown.Plugin {
  return {
    name: "direct-imports",
    generateBundle(_, files) {
      const chunks = Object.values(files)
        .filter((file) => file.type === "chunk")
        .filter(({ fileName }) => fileName.endsWith(".js"));
      const forwarded = new Map(chunks.flatMap(forwardedBy));
      for (const chunk of chunks)
        chunk.code = chunk.code.replaceAll(IMPORTED, (whole: string, file: string, name: string) => {
          const found = forwarded.get(`${file} ${name}`);
          return found === undefined ? whole : `(await import("./${found.file}")).${found.name}`;
        });
      const isNamed = (name: string): boolean => chunks.some((chunk) => chunk.code.includes(`"./${name}"`));
      for (const { fileName, isEntry, code: text } of chunks)
        if (!isEntry && FORWARDING.test(text) && !isNamed(fileName)) delete files[fileName];
    },
  };
}

/** The exports that a chunk takes from another one, by its file and their names; none if it has code of its own. */
function forwardedBy({ fileName, code }: Rolldown.OutputChunk): [string, { file: string; name: string }][] {
  const [, names, file = ""] = FORWARDING.exec(code) ?? [];
  if (names === undefined) return [];
  return names.split(", ").map((each) => {
    const [name = "", given = name] = each.split(" as ");
    return [`${fileName} ${given}`, { file, name }];
  });
}
