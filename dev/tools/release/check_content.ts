import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import type { PackedPackage } from "./pack.ts";

interface Manifest {
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Faults in the content of a tarball, a sentence each. */
export function contentFaults({ folder, name, version, unpacked, bytes, most, beside, host }: PackedPackage): string[] {
  const text = readFileSync(join(unpacked, "package.json"), "utf8");
  const manifest = JSON.parse(text) as Manifest;
  const files = readdirSync(unpacked, { recursive: true, encoding: "utf8" });
  const found: string[] = [];
  if (manifest.name !== name || manifest.version !== version)
    found.push(`is published as ${manifest.name} ${manifest.version}, not as ${name} ${version}`);
  for (const wanted of ["LICENSE", "README.md", "CHANGELOG.md"])
    if (!files.includes(wanted)) found.push(`the tarball has no ${wanted}`);
  if (name === "perdura" && !files.includes("UPGRADING.md")) found.push("the tarball has no UPGRADING.md");
  for (const leftover of ["@perdura/source", "workspace:", "catalog:", '"scripts"'])
    if (text.includes(leftover)) found.push(`the published package.json still contains ${leftover}`);
  const unexpected = files.filter((file) => /(^|[/\\])(src|test)[/\\]|\.tsbuildinfo$/.test(file));
  if (unexpected.length > 0) found.push(`the tarball holds ${unexpected.join(", ")}`);
  if (bytes > most) found.push(`the tarball has ${bytes} bytes, more than ${most}`);
  found.push(...dependencyFaults(name, manifest, host));
  found.push(...mapFaults(unpacked, files));
  // Sources are for editors and debuggers; no module imports them.
  for (const file of files.filter((each) => /^dist[/\\](?!sources[/\\])/.test(each)))
    if (/\.[jt]s$/.test(file))
      found.push(...importFaults(file, readFileSync(join(unpacked, file), "utf8"), manifest, beside));
  return found.map((fault) => `packages/${folder}: ${fault}`);
}

/** Declarations have source maps, and every source that a map names is in the package. */
function mapFaults(unpacked: string, files: readonly string[]): string[] {
  const found: string[] = [];
  if (!files.some((file) => file.endsWith(".d.ts.map"))) found.push("no declaration has a source map");
  for (const file of files.filter((each) => each.endsWith(".map"))) {
    const { sources } = JSON.parse(readFileSync(join(unpacked, file), "utf8")) as { sources: string[] };
    const missing = sources.filter((source) => !existsSync(join(unpacked, dirname(file), source)));
    if (missing.length > 0) found.push(`${file} names ${missing.join(", ")}, which the tarball does not have`);
  }
  return found;
}

/** Cloud clients and pg are installed only on request. npm installs peers automatically, except for optional ones. */
function dependencyFaults(name: string, manifest: Manifest, host: string | undefined): string[] {
  const dependencies = Object.keys(manifest.dependencies ?? {});
  const brought = [
    ...Object.keys(manifest.peerDependencies ?? {}).filter(
      (peer) => peer !== host && manifest.peerDependenciesMeta?.[peer]?.optional !== true,
    ),
    ...Object.keys(manifest.optionalDependencies ?? {}),
    ...dependencies.filter((each) =>
      /^(?:pg|pg-.*|@aws-sdk\/.*|@azure\/.*|@google-cloud\/.*|google-auth-library)$/.test(each),
    ),
  ];
  const found = brought.length > 0 ? [`installs ${brought.join(", ")}, which must be optional`] : [];
  if (name === "perdura" && dependencies.join() !== "better-sqlite3")
    found.push(`depends on ${dependencies.join(", ")}, expected only better-sqlite3`);
  return found;
}

/** Code and types import only files of the tarball, Node.js, and declared packages. */
function importFaults(file: string, text: string, manifest: Manifest, beside: readonly string[] = []): string[] {
  const asked = new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...beside,
    String(manifest.name),
  ]);
  const found: string[] = [];
  for (const specifier of importsOf(text)) {
    if (specifier.startsWith(".") || specifier.startsWith("node:")) continue;
    const [scope, rest] = specifier.split("/");
    const wanted = scope?.startsWith("@") === true ? `${scope}/${rest}` : String(scope);
    if (builtinModules.includes(wanted)) found.push(`${file} imports ${specifier} without node:`);
    else if (!asked.has(wanted)) found.push(`${file} imports ${specifier}, which the package does not declare`);
    else if (wanted === "better-sqlite3" && file.endsWith(".d.ts")) found.push(`${file} names the driver's types`);
  }
  return found;
}

/** In the bundler's output, statements begin their line; the other imports are calls and types. */
function importsOf(text: string): string[] {
  const statements = text.matchAll(/^(?:import|export)\b(?:[^"';]*?\bfrom)?\s*["']([^"'\n]+)["']/gm);
  const calls = text.matchAll(/\b(?:import|require|require\.resolve)\(\s*["']([^"'\n]+)["']\s*\)/g);
  return [...statements, ...calls].map((match) => match[1] as string);
}
