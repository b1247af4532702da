import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { temporaryPlace } from "../processes/plain_user.ts";
import { hold, release } from "../processes/watchdog.ts";
import { installedBinaries, noPostgres } from "./installed_binaries.ts";
import type { InstalledBinaries } from "./installed_binaries.ts";
import { testedVersion } from "./versions.ts";

/**
 * The folder of the programs of a major version of PostgreSQL. They are in a copy of the package, one for this machine
 * and user: the package lacks the links between its libraries, which an install script would create that we do not
 * allow, and the user of the servers may have no access to the place of the packages.
 *
 * @throws Error if there is no PostgreSQL for this platform.
 */
export function postgresPrograms(version: number = testedVersion()): string {
  const installed = installedBinaries(version);
  if (installed === undefined) throw new Error(`${noPostgres(version)}, which is ${process.platform}-${process.arch}`);
  const copy = join(temporaryPlace(), `perdura-postgres-${installed.version}-${process.geteuid?.() ?? "all"}`);
  if (!isOurs(copy)) return join(madeCopy(installed, copy), "bin");
  if (isWhole(installed, copy)) return join(copy, "bin");
  // A cleaner of temporary files removes old ones one by one. A running server has opened the files that it needs.
  const rest = mkdtempSync(`${copy}.old-`);
  renameSync(copy, join(rest, "copy"));
  rmSync(rest, { recursive: true, force: true });
  return join(madeCopy(installed, copy), "bin");
}

/**
 * False if there is no copy. Any user may create this name in a shared directory; programs of other users must not be
 * run.
 */
function isOurs(copy: string): boolean {
  const found = lstatSync(copy, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const us = process.geteuid?.();
  if (found.isDirectory() && (us === undefined || found.uid === us)) return true;
  throw new Error(`${copy}: owned by the user ${found.uid}, expected our copy of PostgreSQL; nothing was run`);
}

function isWhole({ folder }: InstalledBinaries, copy: string): boolean {
  const native = join(folder, "native");
  const expected = [...readdirSync(native, { recursive: true, encoding: "utf8" }), ...linksOf(folder).keys()];
  const found = new Set(readdirSync(copy, { recursive: true, encoding: "utf8" }));
  return expected.every((name) => found.has(name));
}

/** Made under another name first, so that two concurrent runs both find a complete copy. */
function madeCopy({ folder }: InstalledBinaries, copy: string): string {
  const unfinished = mkdtempSync(`${copy}.new-`);
  hold({ directory: unfinished });
  copyFolder(join(folder, "native"), unfinished);
  for (const [link, target] of linksOf(folder)) symlinkSync(target, join(unfinished, link));
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(copy)) throw error;
  }
  release({ directory: unfinished });
  return copy;
}

/** Makes copies readable for all users, in spite of our umask. */
function copyFolder(from: string, to: string): void {
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      mkdirSync(target);
      copyFolder(source, target);
    } else {
      copyFileSync(source, target, constants.COPYFILE_FICLONE);
      chmodSync(target, basename(from) === "bin" ? 0o755 : 0o644);
    }
  }
}

/** The links that the package lacks, by their paths in the copy, with their targets. */
function linksOf(folder: string): Map<string, string> {
  const list = join(folder, "native", "pg-symlinks.json");
  // The package for Windows needs no links.
  if (!existsSync(list)) return new Map();
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  return new Map(
    links
      .filter(({ target }) => !existsSync(join(folder, target)))
      .map(({ source, target }) => [relative("native", target), relative(dirname(target), source)]),
  );
}
