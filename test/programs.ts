import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Where the run of tests bundled programs, see `tools/tests/bundle_programs.ts`. */
export const BUNDLES = "PERDURA_TEST_PROGRAMS";

/**
 * Words after `node` that run a program of this repository, given as its source file: as one bundle where this run made
 * one, which starts twice as fast, else from its sources.
 */
export function programWords(source: URL): string[] {
  const file = fileURLToPath(source);
  const folder = process.env[BUNDLES];
  const bundle = folder === undefined ? undefined : join(folder, relative(root, file).replace(/\.ts$/, ".js"));
  if (bundle !== undefined && existsSync(bundle)) return ["--no-warnings", bundle];
  return ["--conditions=@perdura/source", "--no-warnings", file];
}
