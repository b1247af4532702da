import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Gives back the piece of shared memory by which a server knows that no other uses its data. One that was killed leaves it
 * to the next start; without one it would stay until the machine is started again, which has place for a few thousand.
 */
export function freeSharedMemory(data: string): void {
  const file = join(data, "postmaster.pid");
  if (process.platform === "win32" || !existsSync(file)) return;
  // The seventh line: a key, and the id.
  const [, id] = readFileSync(file, "utf8").split("\n")[6]?.trim().split(/\s+/) ?? [];
  // Where there is no such program, the few bytes stay.
  if (id !== undefined) spawnSync("ipcrm", ["-m", id], { stdio: "ignore" });
}
