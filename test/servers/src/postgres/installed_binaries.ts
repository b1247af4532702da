import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { packageName, testedVersion } from "./versions.ts";

/** PostgreSQL from the package registry. */
export interface InstalledBinaries {
  version: string;
  /** The folder of the package. */
  folder: string;
}

/** The beginning of a message about missing binaries. */
export const noPostgres = (version: number): string => `no PostgreSQL ${version} for this platform`;

/** Places of the packages of `pnpm install`, and of those of other versions, which `pnpm test:postgres` installs. */
const PLACES = [import.meta.url, new URL("../../nightly/package.json", import.meta.url)];

/** Finds the binaries of a major version for this platform; undefined if they do not exist, or are not installed. */
export function installedBinaries(version: number = testedVersion()): InstalledBinaries | undefined {
  if (usesOtherLibc()) return undefined;
  const name = packageName(version, `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`);
  const entry = PLACES.map((place) => resolved(name, place)).find((found) => found !== undefined);
  if (entry === undefined) return undefined;
  const folder = packageFolder(entry);
  const installed = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { version: installed.version, folder };
}

/** The binaries for Linux need the GNU C library. */
function usesOtherLibc(): boolean {
  if (process.platform !== "linux") return false;
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}

/** The package exports only its entry, so the search for its folder starts from there. */
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
