import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInto } from "./tsdown.ts";

const PACKAGES = fileURLToPath(new URL("../../packages/", import.meta.url));

/**
 * Builds a program as it is published: that starts three times faster than its sources, and takes less memory. Into a
 * place of its own, so that whoever builds the packages meanwhile does not pull it away; `remove` when it is not needed
 * any more.
 *
 * @param folder Of the package, below `packages`.
 */
export function buildProgram(folder: string, name: string): { program: string; remove: () => void } {
  // Below the package, where its dependencies are found.
  const place = join("node_modules", ".cache", `${name}-${process.pid}`);
  buildInto(folder, place);
  return {
    program: join(PACKAGES, folder, place, "cli.js"),
    remove: () => rmSync(join(PACKAGES, folder, place), { recursive: true, force: true }),
  };
}
