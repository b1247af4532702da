import { globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "tsdown";
import { BUNDLES } from "../../../test/programs.ts";
import { builtinModules } from "../builtin_modules.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Programs that tests and the soak start often. Those of a group are bundled together: a bundler for each would read the
 * same modules again. A program in a group of its own has few files and starts faster, above all when it is traced: each
 * file costs about seven system calls.
 */
const PROGRAMS = [
  [
    "packages/backup/src/{cli,local/check_work}.ts",
    "packages/inspect/src/cli.ts",
    "packages/mcp/src/cli.ts",
    "packages/migrator/src/{cli,io/child/{check,file}_work}.ts",
    "packages/migrator/test/programs/*.ts",
    "packages/postgres/test/programs/record_*.ts",
    "dev/soak/src/{main,documents/worker,full_disk/fill_at_stage,databases/{open_address,worker}}.ts",
    "dev/soak/src/long_life/programs/*.ts",
    "dev/soak/test/programs/*.ts",
  ],
  ["packages/conformance/{src/cli,adapters/stdio}.ts"],
  ["test/{doors,lines}/programs/*.ts"],
  ["dev/soak/src/together/programs/*.ts"],
  // Traced hundreds of times.
  ["dev/soak/src/operations/perform.ts"],
];

/** Files that start one of these programs by a relative path. */
const STARTS_THEM = [
  "packages/backup/src/local/check_library.ts",
  "packages/migrator/src/io/child/helper_process.ts",
  "packages/migrator/src/io/child/workers.ts",
];

/**
 * Bundles programs with everything that they import from this repository, below `folder`, each at the path of its
 * source. They behave like their sources: `import.meta.url` is that of the source, and third-party imports resolve as
 * for the source. A file that starts a program by a relative path starts the bundle.
 */
async function bundleInto(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  // Without it Node.js compiles each file twice, first as CommonJS.
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  // The adapters import the modules of a line by names that they put together.
  symlinkSync(join(root, "packages/conformance/node_modules"), join(folder, "node_modules"), "junction");
  await Promise.all(
    PROGRAMS.map((patterns) =>
      bundle(
        patterns.flatMap((pattern) => globSync(pattern, { cwd: root })),
        folder,
      ),
    ),
  );
}

async function bundle(files: string[], folder: string): Promise<void> {
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
      builtinModules(),
      {
        name: "as-the-sources",
        async resolveId(specifier, importer) {
          if (importer === undefined || specifier.startsWith("node:")) return null;
          const found = await this.resolve(specifier, importer, { skipSelf: true });
          if (found === null || !found.id.includes("/node_modules/")) return found;
          return { id: pathToFileURL(found.id).href, external: true };
        },
        transform: (code, id) => {
          if (!code.includes("import.meta.url")) return null;
          const file = relative(root, id);
          const seen = STARTS_THEM.includes(file) ? join(folder, file.replace(/\.ts$/, ".js")) : id;
          return code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(seen).href));
        },
      },
    ],
  });
}

/** Vitest loads this file once for each project; they share only the process. */
const PLACE = Symbol.for("perdura.bundled_programs");
const shared = globalThis as { [PLACE]?: Promise<void> };

/** Named in a project's `globalSetup`: bundles the programs once for the run. */
export default async function setup(): Promise<void> {
  const folder = join(root, "node_modules", ".cache", "perdura", `programs-${process.pid}`);
  if (shared[PLACE] === undefined) process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await (shared[PLACE] ??= bundleInto(folder));
  process.env[BUNDLES] = folder;
}
