import { chmodSync, copyFileSync, cpSync, mkdirSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { installedBinaries } from "../src/postgres/installed_binaries.ts";
import { reachable, temporaryPlace } from "../src/processes/plain_user.ts";
import { removeServerDirectory } from "../src/processes/server_directory.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { hold } from "../src/processes/watchdog.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** A directory that all users can reach and write in; removed after the test, even if that is killed. */
export function openDirectory(): string {
  const { directory, remove } = sharedDirectory();
  onTestFinished(remove);
  return directory;
}

/** The same for several tests; the caller removes it. */
export function sharedDirectory(): { directory: string; remove: () => void } {
  const directory = temporaryFolder(temporaryPlace());
  hold({ directory });
  chmodSync(directory, 0o777);
  return { directory, remove: () => removeServerDirectory(directory) };
}

/**
 * A copy of this package for a test, with the test programs.
 *
 * @param postgres True if PostgreSQL is included.
 */
export function copyOfPackage({ postgres }: { postgres: boolean }): string {
  const copy = openDirectory();
  for (const name of ["src", "test/programs", "package.json"])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  const packages = join(copy, "node_modules");
  mkdirSync(packages);
  for (const name of ["pg", "vitest"]) symlinkSync(join(ROOT, "node_modules", name), join(packages, name), "junction");
  const installed = installedBinaries();
  if (!postgres || installed === undefined) return copy;
  const platform = createRequire(import.meta.url)(join(installed.folder, "package.json")) as { name: string };
  cpSync(installed.folder, join(packages, platform.name), { recursive: true });
  return copy;
}

/** Our Node.js, or a copy of it in a directory from which every user can start it. */
export function startableNode(directory: string): string {
  if (reachable(process.execPath)) return process.execPath;
  const copy = join(directory, "node");
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  return copy;
}
