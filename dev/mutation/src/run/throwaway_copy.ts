import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { program } from "./program.ts";
import { removeWithMounts } from "./remove_with_mounts.ts";

/** A copy of the repository to mutate. */
export interface ThrowawayCopy {
  root: string;
  /** Empty folders beside it, which programs of other users may write into as well. */
  temporary: string;
  coverage: string;
  remove(): void;
}

/**
 * Copies what git knows, and new files that it does not ignore, into a folder of its own: Stryker writes mutated sources
 * in place, and nothing of that may come near the repository. The dependencies are installed from pnpm's store.
 */
export function throwawayCopy(repository: string): ThrowawayCopy {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "perdura-mutation-")));
  const [root, temporary, coverage] = ["repository", "temporary", "coverage"].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  const remove = (): void => removeWithMounts(top);
  try {
    chmodSync(top, 0o755);
    for (const folder of [root, temporary, coverage]) mkdirSync(folder);
    for (const folder of [temporary, coverage]) chmodSync(folder, 0o1777);
    const names = program("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"], {
      cwd: repository,
    });
    for (const name of names.split("\0").filter((text) => text !== "")) copyFile(repository, root, name);
    program("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], { cwd: root });
    return { root, temporary, coverage, remove };
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
