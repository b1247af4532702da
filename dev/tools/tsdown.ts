import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PACKAGES = fileURLToPath(new URL("../../packages/", import.meta.url));
const TSDOWN = fileURLToPath(new URL("../../node_modules/tsdown/dist/run.mjs", import.meta.url));

/**
 * Builds a package in its published form, without types, into a separate directory.
 *
 * @param folder Folder of the package, below `packages`.
 * @param place A folder; a relative one is below that of the package.
 */
export function buildInto(folder: string, place: string): void {
  const words = [TSDOWN, "--logLevel", "error", "--no-dts", "--out-dir", place];
  const { status } = spawnSync(process.execPath, words, {
    cwd: `${PACKAGES}${folder}`,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error(`building packages/${folder} failed: tsdown ended with ${status}`);
}
