/**
 * Attaches the archives in `executables` to the releases of their programs on GitHub: `pnpm release:executables`. Run it
 * on the commit that was released. A second run continues after an interruption, or has nothing to do.
 */
import { fileURLToPath } from "node:url";
import { attachExecutable } from "./attach_executable.ts";
import { EXECUTABLE_NAMES } from "./bundle_program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
try {
  // Not even --help may attach something.
  if (process.argv.length > 2)
    throw new Error("expected no arguments; RELEASING.md describes it. Nothing was attached.");
  for (const name of EXECUTABLE_NAMES) console.log(await attachExecutable(name, root));
} catch (error) {
  console.error(`release:executables: ${(error as Error).message}`);
  process.exitCode = 1;
}
