import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Frees the shared memory segment by which a server detects that another one uses its data. A killed server leaves it
 * to its next start; without one it would stay until the machine is restarted, and the number of segments is limited to
 * a few thousand.
 */
export function freeSharedMemory(data: string): void {
  const file = join(data, "postmaster.pid");
  if (process.platform === "win32" || !existsSync(file)) return;
  // The seventh line: the key and the id.
  const [, id] = readFileSync(file, "utf8").split("\n")[6]?.trim().split(/\s+/) ?? [];
  // Without that program, the few bytes remain.
  if (id !== undefined) spawnSync("ipcrm", ["-m", id], { stdio: "ignore" });
}
