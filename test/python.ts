import { spawnSync } from "node:child_process";

/** The minor version of this machine's Python 3, 12 for 3.12; undefined without Python. */
export const PYTHON_MINOR: number | undefined = found();

function found(): number | undefined {
  const { stdout } = spawnSync("python3", ["--version"], { encoding: "utf8" });
  const [, minor] = /^Python 3\.(\d+)/.exec(stdout ?? "") ?? [];
  return minor === undefined ? undefined : Number(minor);
}
