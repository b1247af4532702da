import { spawnSync } from "node:child_process";

/** Programs that may be there or not, with words that make them end at once when they are of use. */
const PROGRAMS = { python3: ["-c", "import sqlite3"], sqlite3: ["-version"] } as const;

export type Program = keyof typeof PROGRAMS;

const found = new Map<Program, boolean>();

/** Whether a program is there; looked for once. */
export function hasProgram(name: Program): boolean {
  const known = found.get(name) ?? spawnSync(name, PROGRAMS[name], { stdio: "ignore" }).status === 0;
  found.set(name, known);
  return known;
}
