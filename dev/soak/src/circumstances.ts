import { execFileSync } from "node:child_process";
import { availableParallelism, release, type } from "node:os";

/** On what a run was made, so that its figures can be told from those of another. */
export interface Circumstances {
  /** What git calls the sources; `-dirty` behind it where they were edited since, null where git does not tell. */
  commit: string | null;
  node: string;
  system: string;
  processors: number;
}

export function circumstances(): Circumstances {
  return {
    commit: commitHere(),
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
    // No git, or no repository: the figures are good all the same.
    return null;
  }
}
