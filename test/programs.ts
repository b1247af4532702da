import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Variable with the folder of the bundled programs, see `dev/tools/tests/bundle_programs.ts`. */
export const BUNDLES = "PERDURA_TEST_PROGRAMS";

/** The bundle of a program of this repository, given as its source file; undefined where this run made none. */
export function bundleOf(source: URL): string | undefined {
  const folder = process.env[BUNDLES];
  if (folder === undefined) return undefined;
  const bundle = join(folder, relative(root, fileURLToPath(source)).replace(/\.ts$/, ".js"));
  return existsSync(bundle) ? bundle : undefined;
}

/**
 * Words after `node` that run a program of this repository, given as its source file: as one bundle where this run made
 * one, which starts twice as fast, else from its sources.
 */
export function programWords(source: URL): string[] {
  const bundle = bundleOf(source);
  if (bundle !== undefined) return ["--no-warnings", bundle];
  return ["--conditions=@perdura/source", "--no-warnings", fileURLToPath(source)];
}

/** Path of perdura-migrate as one file, which the set-up of its tests, or a soak, built. */
export function migratorProgram(): string {
  const program = process.env["PERDURA_MIGRATE"];
  if (program === undefined)
    throw new Error("perdura-migrate is not built: run these tests from the repository's root");
  return program;
}

/** The whole command that starts perdura-migrate. */
export const migratorCommand = (...words: string[]): string[] => [process.execPath, migratorProgram(), ...words];
