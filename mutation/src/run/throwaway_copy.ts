import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { program } from "./program.ts";

/** A copy of the repository to mutate. */
export interface ThrowawayCopy {
  root: string;
  remove(): void;
}

/**
 * Copies what git knows, and new files that it does not ignore, into a folder of its own: Stryker writes mutated sources
 * in place, and nothing of that may come near the repository. The dependencies are installed from pnpm's store.
 */
export function throwawayCopy(repository: string): ThrowawayCopy {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "perdura-mutation-")));
  const remove = (): void => rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  try {
    const names = program("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"], {
      cwd: repository,
    });
    for (const name of names.split("\0").filter((text) => text !== "")) copyFile(repository, root, name);
    program("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], { cwd: root });
    return { root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A file that is deleted, but not yet for git, is left out. */
function copyFile(from: string, to: string, name: string): void {
  mkdirSync(dirname(join(to, name)), { recursive: true });
  try {
    cpSync(join(from, name), join(to, name), { verbatimSymlinks: true });
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
  }
}
