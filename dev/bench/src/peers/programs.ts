import { spawnSync } from "node:child_process";

/** Optional programs, with arguments that make them end at once if they are usable. */
const PROGRAMS = { python3: ["-c", "import sqlite3"], sqlite3: ["-version"], bun: ["--version"] } as const;

export type Program = keyof typeof PROGRAMS;

const found = new Map<Program, boolean>();

/** True if a program is installed; checked once. */
export function hasProgram(name: Program): boolean {
  const known = found.get(name) ?? spawnSync(name, PROGRAMS[name], { stdio: "ignore" }).status === 0;
  found.set(name, known);
  return known;
}
