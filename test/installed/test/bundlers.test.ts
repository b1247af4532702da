import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeFileTrace } from "@vercel/nft";
import { build } from "esbuild";
import { expect, inject, test } from "vitest";
import webpack, { type Configuration, type Stats } from "webpack";
import { BareFolder, EVERYTHING } from "../src/bare_folder.ts";

/** A program that uses both lines, and PostgreSQL at an address where no server listens. */
const PROGRAM = `
import { MetricsCollector, PatternLibrary, PatternPersistence, openPersistenceAsync } from "perdura";
import { MetricsCollector as Collector, StateManager } from "perdura-15/persistence";

const library = new PatternLibrary();
library.contribute("agent-1", { id: "retry", pattern_type: "sequential", name: "Retry once" });
PatternPersistence.saveToSqlite(library, "patterns.db");
const metrics = new MetricsCollector("metrics.db");
metrics.recordMetric("alice", true, 20);
const before = new Collector("metrics-15.db");
before.recordMetric("alice", 3, true, 10);
console.log(
  PatternPersistence.loadFromSqlite("patterns.db").size,
  metrics.getUserStats("alice").total_operations,
  before.getUserStats("alice").level_3_count,
  new StateManager("states").loadState("alice"),
);
metrics.close();
before.close();

const configuration = { user_id: "alice", persistence_path: "postgresql://perdura@127.0.0.1:1/perdura" };
openPersistenceAsync(configuration)
  .then(({ metrics: shared, close }) => shared?.getUserStats("alice").finally(close))
  .catch((error) => console.log(error.code));
`;

/** The packages that start helper programs, in the way that the documentation tells to bundle them. */
const PROGRAMS = `
import { openBackupStore } from "@perdura/backup";
import { summarizeData } from "@perdura/inspect";
import { VERSION } from "@perdura/migrator";
console.log(typeof openBackupStore, typeof summarizeData, typeof VERSION);
`;

/** The packages that the program loads. */
const LOADED = ["perdura", "perdura-15@npm:perdura@latest-15", "@perdura/postgres", "pg"] as const;

/** A folder with the program, in which these packages are installed. */
function sourceFolder(packages: readonly string[]): BareFolder {
  const folder = new BareFolder(inject("npmRegistry"));
  folder.install(...packages);
  folder.write("server.js", PROGRAM);
  return folder;
}

/** Bundles with webpack for Node.js. @returns Its errors and warnings. */
async function bundleWithWebpack(folder: BareFolder, entry: string, rest: Configuration = {}): Promise<string[]> {
  const compiler = webpack({
    mode: "production",
    target: "node",
    context: folder.path,
    entry: `./${entry}`,
    output: { path: join(folder.path, "bundles"), filename: "webpack.cjs" },
    ...rest,
  });
  const stats = await new Promise<Stats | undefined>((resolve, reject) => {
    compiler.run((error, result) => (error === null ? resolve(result) : reject(error)));
  });
  const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
  return [...errors, ...warnings].map(({ message }) => message);
}

async function bundleWithEsbuild(
  folder: BareFolder,
  entry: string,
  name: string,
  external: string[] = [],
): Promise<void> {
  const format = name.endsWith(".mjs") ? "esm" : "cjs";
  const outfile = join(folder.path, "bundles", name);
  await build({
    entryPoints: [join(folder.path, entry)],
    bundle: true,
    platform: "node",
    format,
    outfile,
    external,
    logLevel: "silent",
  });
}

test("bundles by esbuild and webpack run where only the packages that they load are installed", async () => {
  const folder = sourceFolder(LOADED);
  await bundleWithEsbuild(folder, "server.js", "esbuild.cjs");
  await bundleWithEsbuild(folder, "server.js", "esbuild.mjs");
  expect(await bundleWithWebpack(folder, "server.js")).toEqual([]);

  const bundles = join(folder.path, "bundles");
  const deployed = new BareFolder(inject("npmRegistry"));
  cpSync(bundles, deployed.path, { recursive: true });
  const names = ["esbuild.cjs", "esbuild.mjs", "webpack.cjs"];
  // Nothing is left where they were built, and nothing but the loaded packages is where they run.
  rmSync(bundles, { recursive: true });
  const modules = join(deployed.path, "node_modules");
  renameSync(join(folder.path, "node_modules"), modules);
  for (const bundled of ["perdura", "perdura-15"]) rmSync(join(modules, bundled), { recursive: true });
  for (const name of names) {
    for (const file of ["patterns.db", "metrics.db", "metrics-15.db"])
      rmSync(join(deployed.path, file), { force: true });
    expect(deployed.fine(process.execPath, name), name).toBe("1 1 1 null\nPERDURA_STORAGE\n");
  }

  rmSync(join(modules, "@perdura"), { recursive: true });
  for (const name of names) expect(deployed.fine(process.execPath, name), name).toContain("PERDURA_MISSING_PACKAGE");
  rmSync(modules, { recursive: true });
  for (const name of names)
    expect(deployed.run(process.execPath, name).stderr, name).toContain("npm install better-sqlite3");
});

test("the files that Next.js would copy for a server with perdura are enough, and other packages stay outside of bundles", async () => {
  const folder = sourceFolder(EVERYTHING);
  folder.write("programs.js", PROGRAMS);
  await bundleWithEsbuild(folder, "programs.js", "esbuild.cjs", ["@perdura/*"]);
  const problems = await bundleWithWebpack(folder, "programs.js", {
    externals: [/^@perdura\//],
    externalsType: "node-commonjs",
  });
  expect(problems).toEqual([]);
  for (const name of ["esbuild.cjs", "webpack.cjs"])
    expect(folder.fine(process.execPath, join("bundles", name)), name).toBe("function function string\n");

  const { fileList } = await nodeFileTrace([join(folder.path, "server.js")], { base: folder.path });
  const deployed = new BareFolder(inject("npmRegistry"));
  for (const file of fileList) {
    mkdirSync(dirname(join(deployed.path, file)), { recursive: true });
    cpSync(join(folder.path, file), join(deployed.path, file));
  }
  expect(deployed.fine(process.execPath, "server.js")).toBe("1 1 1 null\nPERDURA_STORAGE\n");
});
