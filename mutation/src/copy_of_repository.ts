import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "./units.ts";

/**
 * Copies the repository as it is now, changes that are not committed included, and installs its packages: Stryker writes
 * mutants into the sources, and nobody should ever find them in theirs.
 */
export function copyOfRepository(): { root: string; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), "perdura-mutation-"));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  try {
    const files = run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT).split("\0");
    for (const file of files.filter((each) => each !== "" && existsSync(join(ROOT, each)))) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      cpSync(join(ROOT, file), join(root, file));
    }
    run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], root);
    return { root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function run(command: string, words: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${command} ${words.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}
