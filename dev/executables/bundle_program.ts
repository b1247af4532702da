import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "tsdown";
import { chartLibrary } from "../../packages/summary/src/page/uplot.ts";
import { temporaryFolder } from "../../test/temporary_folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const inside = (file: string): string => join(root, "dev", "executables", "program", file);

/** The programs that are built as executables, with the packages of their folders. */
export const EXECUTABLES = {
  "perdura-migrate": { entry: inside("migrate.ts"), folder: "migrator", package: "@perdura/migrator" },
  "perdura-inspect": { entry: inside("inspect.ts"), folder: "inspect", package: "@perdura/inspect" },
} as const;

export type ExecutableName = keyof typeof EXECUTABLES;

export const EXECUTABLE_NAMES = Object.keys(EXECUTABLES) as ExecutableName[];

/** A program as one CommonJS module. */
export interface Bundle {
  code: string;
  /** Folders of the third-party packages inside, in the order of their names. */
  packages: string[];
}

/** Modules that look for files or packages on the machine, and those that take their places. */
const REPLACED: Readonly<Record<string, string>> = {
  "/internals/src/sqlite/load_driver.ts": inside("load_driver.ts"),
  "/better-sqlite3/lib/binding.js": inside("sqlite_binary.ts"),
  "/cli/src/string_width.ts": inside("string_width.ts"),
  "/cli/src/compiled_code.ts": inside("compiled_code.ts"),
};
const CHARTS = "/summary/src/page/uplot.ts";

/** Bundles a program from the sources with everything that it imports, including optional packages. */
export async function bundleProgram(name: ExecutableName): Promise<Bundle> {
  const workshop = temporaryFolder();
  const packages = new Set<string>();
  try {
    await build({
      config: false,
      logLevel: "error",
      cwd: root,
      entry: { [name]: EXECUTABLES[name].entry },
      outDir: workshop,
      // The only form of the code in an executable of Node.js 24.
      format: "cjs",
      platform: "node",
      target: "node24",
      dts: false,
      deps: { alwaysBundle: /./ },
      inputOptions: { resolve: { conditionNames: ["@perdura/source", "node"] } },
      outputOptions: { codeSplitting: false },
      plugins: [selfContained(packages)],
    });
    return { code: readFileSync(join(workshop, `${name}.cjs`), "utf8"), packages: [...packages].toSorted() };
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

/** @param packages Gets the folders of the packages that are bundled. */
function selfContained(packages: Set<string>): Rolldown.Plugin {
  return {
    name: "self-contained",
    async resolveId(specifier, importer, { kind }) {
      if (importer === undefined) return null;
      // The kind decides which form of a package is taken that has one for `import` and one for `require`.
      const found = await this.resolve(specifier, importer, { kind, skipSelf: true });
      const [, replacement] = Object.entries(REPLACED).find(([end]) => endsWith(found?.id, end)) ?? [];
      return replacement ?? found;
    },
    load(id) {
      if (!endsWith(id, CHARTS)) return null;
      packages.add(dirname(createRequire(id).resolve("uplot/LICENSE")));
      return `export const chartLibrary = () => (${JSON.stringify(chartLibrary())});`;
    },
    generateBundle(_, files) {
      const chunks = Object.values(files).filter((file) => file.type === "chunk");
      for (const id of chunks.flatMap(({ moduleIds }) => moduleIds)) {
        const folder = packageOf(id);
        if (folder !== undefined) packages.add(folder);
      }
    },
  };
}

const endsWith = (path = "", end: string): boolean => path.replaceAll("\\", "/").endsWith(end);

/** The folder of the third-party package that contains a module; undefined for our own code. */
function packageOf(id: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id.replace(/^\0/, ""))?.[0];
}
