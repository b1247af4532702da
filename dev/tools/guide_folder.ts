// A folder in which the packages are installed as by npm, from the result of `pnpm build`: for the commands of the
// guides.
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../../test/temporary_folder.ts";

const PACKAGES = fileURLToPath(new URL("../../packages/", import.meta.url));

/** The names under which a reader of the guides installs the packages. */
const INSTALLED = {
  perdura: "v16",
  "perdura-15": "v15",
  "@perdura/migrator": "migrator",
  "@perdura/conformance": "conformance",
  "@perdura/backup": "backup",
  "@perdura/inspect": "inspect",
  "@perdura/postgres": "postgres",
  "@perdura/otel": "otel",
  "@perdura/mcp": "mcp",
};

/** Third-party packages, each with a package of ours that depends on it. */
const FOREIGN = {
  "better-sqlite3": "v16",
  ajv: "conformance",
  "fast-check": "conformance",
  semver: "conformance",
  "string-width": "conformance",
  uplot: "inspect",
  pg: "postgres",
  "@opentelemetry/api": "otel",
  "@opentelemetry/sdk-trace-base": "otel",
  "pg-copy-streams": "migrator",
};

interface Manifest {
  name: string;
  version: string;
  files: string[];
  bin?: Record<string, string>;
  publishConfig: object;
}

/**
 * Makes the folder; the caller removes it.
 *
 * @param page A guide: packages that it names are installed.
 * @throws Error if a package was not built.
 */
export function makeGuideFolder(page: string): string {
  const folder = join(temporaryFolder(), "agents");
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  const named = Object.keys(INSTALLED).filter((name) => page.includes(name));
  // The only package that depends on another one of ours.
  if (named.includes("@perdura/inspect")) named.push("@perdura/migrator");
  for (const [name, source] of Object.entries(INSTALLED))
    if (named.includes(name)) install(modules, name, join(PACKAGES, source));
  for (const [name, source] of Object.entries(FOREIGN))
    link(join(PACKAGES, source, "node_modules", name), join(modules, name));
  const dependencies = { perdura: "16", "perdura-15": "npm:perdura@15" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "agents", version: "1.0.0", dependencies }));
  return folder;
}

/** Makes a link, and the directory of its scope. */
function link(target: string, place: string): void {
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(target, place);
}

/** Copies the package: a guide may change it. */
function install(modules: string, name: string, source: string): void {
  if (!existsSync(join(source, "dist", "index.js")))
    throw new Error(`${source} has no dist/index.js, and the guides run on the built packages. Run pnpm build first.`);
  const place = join(modules, name);
  const { publishConfig, ...manifest } = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Manifest;
  for (const entry of ["README.md", ...manifest.files])
    cpSync(join(source, entry), join(place, entry), { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify(published({ ...manifest, ...publishConfig })));
  for (const [program, file] of Object.entries(manifest.bin ?? {}))
    symlinkSync(join(place, file), join(modules, ".bin", program));
}

/** Without dependencies: npm would look for them in this folder. */
function published(manifest: object): object {
  return Object.fromEntries(Object.entries(manifest).filter(([key]) => !/dependencies/i.test(key)));
}
