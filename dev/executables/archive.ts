import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Executable } from "./build_executable.ts";
import { EXECUTABLES, type ExecutableName } from "./bundle_program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The names that people use for the platforms of Node.js. */
const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: "macos", win32: "windows" };

/** The platforms for which a release has executables. */
export const PLATFORMS = ["linux-arm64", "linux-x64", "macos-arm64", "macos-x64", "windows-x64"] as const;

/** The name of an archive, for example `perdura-migrate-0.1.0-linux-x64.tar.gz`. */
export function archiveName(name: ExecutableName, version: string, platform: string): string {
  return `${name}-${version}-${platform}.tar.gz`;
}

/** @param repository The folder of a working tree. */
export function versionOfExecutable(name: ExecutableName, repository: string): string {
  const manifest = readFileSync(join(repository, "packages", EXECUTABLES[name].folder, "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/**
 * Packs an executable with the licences: less than half of the size, and a download keeps the permission to execute.
 *
 * @param folder That of the executable.
 * @returns The path of the archive.
 */
export function archiveExecutable({ name, path, licenses }: Executable, folder: string): string {
  const platform = `${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`;
  const archive = archiveName(name, versionOfExecutable(name, root), platform);
  writeFileSync(join(folder, "LICENSES.txt"), licenses);
  // Relative names, because GNU tar takes `C:` for the name of another machine.
  const words = ["-czf", archive, basename(path), "LICENSES.txt"];
  const { status, stderr, error } = spawnSync("tar", words, { cwd: folder, encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`tar ${words.join(" ")} ended with ${status}:\n${stderr}`);
  return join(folder, archive);
}
