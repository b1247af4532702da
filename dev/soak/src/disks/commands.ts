import { spawnSync } from "node:child_process";

/** Runs a system program and waits for it to end. */
export function command(program: string, ...words: string[]): string {
  const { status, error, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status === 0) return stdout;
  throw new Error(`${[program, ...words].join(" ")}: ${error?.message ?? stderr.trim()}`);
}

/** True if a program is installed. */
export function hasProgram(program: string, word: string = "--version"): boolean {
  return spawnSync(program, [word], { stdio: "ignore" }).error === undefined;
}
