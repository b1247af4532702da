import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { packageName, testedVersion } from "./versions.ts";

/** PostgreSQL as it came from the registry of packages. */
export interface InstalledBinaries {
  version: string;
  /** The folder of the package. */
  folder: string;
}

/** Names the reason why tests found no server to run on. */
export const noPostgres = (version: number): string => `not run: no PostgreSQL ${version} for this platform`;

/** The same for the version that this process tests. */
export const NO_POSTGRES: string = noPostgres(testedVersion());

/** Where `pnpm install` puts packages, and where `pnpm test:postgres` puts those of other versions. */
const PLACES = [import.meta.url, new URL("../../nightly/package.json", import.meta.url)];

/**
 * Finds the binaries of a major version for this platform; undefined where there are none, or where they were not
 * installed.
 */
export function installedBinaries(version: number = testedVersion()): InstalledBinaries | undefined {
  if (usesOtherLibc()) return undefined;
  const name = packageName(version, `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`);
  const entry = PLACES.map((place) => resolved(name, place)).find((found) => found !== undefined);
  if (entry === undefined) return undefined;
  const folder = packageFolder(entry);
  const installed = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { version: installed.version, folder };
}

/** The binaries for Linux need the C library of GNU. */
function usesOtherLibc(): boolean {
  if (process.platform !== "linux") return false;
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}

/** The package exports nothing but its entry, so its folder is looked for from there. */
function packageFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(join(folder, "package.json")) ? folder : packageFolder(folder);
}

function resolved(name: string, place: string | URL): string | undefined {
  try {
    return createRequire(place).resolve(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
