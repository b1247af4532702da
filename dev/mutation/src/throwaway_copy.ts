import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

/** A copy of the repository to mutate. */
export interface ThrowawayCopy {
  root: string;
  /** An empty folder next to it, for files that killed processes leave. */
  temporary: string;
  /** Its commit, with `-dirty` where files differ from it. */
  commit: string;
  remove(): void;
}

/**
 * Copies what git knows, and new files that it does not ignore, and installs the dependencies from pnpm's store. Stryker's
 * own copy does not help in a workspace of pnpm: links between packages would lead back to the sources that are not mutated.
 */
export function throwawayCopy(repository: string): ThrowawayCopy {
  const top = temporaryFolder();
  const [root, temporary] = [join(top, "repository"), join(top, "temporary")];
  const remove = (): void => rmSync(top, { recursive: true, force: true, maxRetries: 3 });
  try {
    mkdirSync(temporary);
    // A server of PostgreSQL may run as another user.
    chmodSync(top, 0o755);
    chmodSync(temporary, 0o1777);
    const git = (...words: string[]): string =>
      execFileSync("git", words, { cwd: repository, encoding: "utf8", maxBuffer: 2 ** 28 });
    const commit = git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*").trim();
    const names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate").split("\0");
    for (const name of names) {
      // A file that is deleted, but not yet for git, is left out.
      if (name === "" || lstatSync(join(repository, name), { throwIfNoEntry: false }) === undefined) continue;
      mkdirSync(dirname(join(root, name)), { recursive: true });
      cpSync(join(repository, name), join(root, name), { verbatimSymlinks: true });
    }
    const shell = process.platform === "win32";
    execFileSync("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], { cwd: root, shell, stdio: "pipe" });
    return { root, temporary, commit, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
