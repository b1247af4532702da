import { execFileSync } from "node:child_process";
import { availableParallelism, release, type } from "node:os";

/** Machine and sources of a run, which distinguish its figures from those of another run. */
export interface Circumstances {
  /** Output of `git describe`, with `-dirty` after local edits; null if git is unavailable. */
  commit: string | null;
  /** Day of the run in UTC, `YYYY-MM-DD`. */
  date: string;
  node: string;
  system: string;
  processors: number;
}

export function circumstances(): Circumstances {
  return {
    commit: commitHere(),
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    system: `${type()} ${release()}`,
    processors: availableParallelism(),
  };
}

function commitHere(): string | null {
  try {
    const words = ["describe", "--always", "--dirty", "--abbrev=12", "--match=nothing"];
    return execFileSync("git", words, { cwd: import.meta.dirname, encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    // No git, or no repository: the figures are still valid.
    return null;
  }
}
