import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "tsdown";
import { BUNDLES } from "../../test/programs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Programs that tests and the soak start often. */
const PROGRAMS = [
  "packages/{backup,conformance,migrator}/src/cli.ts",
  "packages/migrator/test/programs/*.ts",
  "soak/src/{operations/perform,documents/worker,full_disk/fill_at_stage,databases/open_address}.ts",
  "soak/src/*/programs/*.ts",
  "test/lines/programs/*.ts",
];

/**
 * Bundles programs with everything of this repository that they import, below `folder`, each at the path of its source.
 * They behave as their sources do: `import.meta.url` is that of the source, and what they import of others is where the
 * source finds it.
 */
async function bundleInto(folder: string): Promise<void> {
  const files = PROGRAMS.flatMap((pattern) => globSync(pattern, { cwd: root }));
  await build({
    config: false,
    logLevel: "error",
    cwd: root,
    entry: Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ""), file])),
    outDir: folder,
    format: "esm",
    platform: "node",
    target: "node22.14",
    dts: false,
    clean: false,
    fixedExtension: false,
    inputOptions: { resolve: { conditionNames: ["@perdura/source", "node", "import", "default"] } },
    plugins: [
      {
        name: "as-the-sources",
        async resolveId(specifier, importer) {
          if (importer === undefined || specifier.startsWith("node:")) return null;
          const found = await this.resolve(specifier, importer, { skipSelf: true });
          if (found === null || !found.id.includes("/node_modules/")) return found;
          return { id: pathToFileURL(found.id).href, external: true };
        },
        transform: (code, id) =>
          code.includes("import.meta.url")
            ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
            : null,
      },
    ],
  });
}

/** Vitest loads this file once for each project: only the process is the same for all. */
const PLACE = Symbol.for("perdura.bundled_programs");
const shared = globalThis as { [PLACE]?: Promise<void> };

/** Named in a project's `globalSetup`: bundles the programs once for the run. */
export default async function setup(): Promise<void> {
  const folder = join(root, "node_modules", ".cache", "perdura", `programs-${process.pid}`);
  if (shared[PLACE] === undefined) process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await (shared[PLACE] ??= bundleInto(folder));
  process.env[BUNDLES] = folder;
}
