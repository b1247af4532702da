import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NAME = "@perdura/conformance";

/**
 * The folder of this package: cases, requirements and schemas are there, next to `src/` and `dist/`.
 * @throws {Error} when no package.json of this package is found above this file.
 */
export function packageRoot(): string {
  found ??= findRoot();
  return found;
}

let found: string | undefined;

function findRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest) && (JSON.parse(readFileSync(manifest, "utf8")) as { name?: string }).name === NAME)
      return folder;
    if (dirname(folder) === folder)
      throw new Error(
        `package.json of ${NAME} was not found above ${import.meta.url}: the package is incomplete; install it again`,
      );
  }
}

/** The version of this suite, from its package.json. */
export function suiteVersion(): string {
  version ??= (JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as { version: string }).version;
  return version;
}

let version: string | undefined;
