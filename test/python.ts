import { spawnSync } from "node:child_process";

/** Python 3 of this machine. */
export interface Python {
  /**
   * The interpreter itself: `python3` may be a script of a version manager, which takes five times as long as what it
   * starts.
   */
  program: string;
  /** The 12 of 3.12. */
  minor: number;
}

const ASK = "import sys; print(sys.version_info[0], sys.version_info[1], sys.executable)";

/** Undefined where there is none. */
export const PYTHON: Python | undefined = found();

function found(): Python | undefined {
  const { stdout } = spawnSync("python3", ["-c", ASK], { encoding: "utf8" });
  const [, minor, program] = /^3 (\d+) (.+)$/m.exec(stdout ?? "") ?? [];
  return program === undefined ? undefined : { program, minor: Number(minor) };
}
