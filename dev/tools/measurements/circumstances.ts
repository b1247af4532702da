import { execFileSync } from "node:child_process";
import { availableParallelism, release, type } from "node:os";

/** Machine and sources of a run, which distinguish its figures from those of another run. */
export interface Circumstances {
  /** The commit, with `-dirty` if sources are edited; null if git is unavailable. */
  commit: string | null;
  /** Day of the run in UTC, `YYYY-MM-DD`. */
  date: string;
  node: string;
  system: string;
  processors: number;
}

/** @param folder A folder of the repository. */
export function circumstances(folder: string = import.meta.dirname): Circumstances {
  return {
    commit: commitOf(folder),
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    system: `${type()} ${release()}`,
    processors: availableParallelism(),
  };
}

/** Without the results, and the pages that quote them: renewing one result must not make the next one that of edited sources. */
const SOURCES = [":(top)", ":(top,exclude)dev/*/results/*", ":(top,exclude)*.md"];

function commitOf(cwd: string): string | null {
  const git = (...words: string[]): string =>
    execFileSync("git", words, { cwd, encoding: "utf8", stdio: "pipe" }).trim();
  try {
    const edited = git("status", "--porcelain", "--untracked-files=no", "--", ...SOURCES);
    return `${git("rev-parse", "--short=12", "HEAD")}${edited === "" ? "" : "-dirty"}`;
  } catch {
    // No git, or no repository: the figures are still valid.
    return null;
  }
}
