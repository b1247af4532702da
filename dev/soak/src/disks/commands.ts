import { spawnSync } from "node:child_process";

/** Runs a program of the system to its end. */
export function command(program: string, ...words: string[]): string {
  const { status, error, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status === 0) return stdout;
  throw new Error(`${[program, ...words].join(" ")}: ${error?.message ?? stderr.trim()}`);
}

/** True where a program is there. */
export function hasProgram(program: string, word: string = "--version"): boolean {
  return spawnSync(program, [word], { stdio: "ignore" }).error === undefined;
}
