import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";

/** `/tmp/perdura-soak-full_disk-x1y2z3/row-a1b2c3/disk-PID-NUMBER` */
const OURS = /^(?<place>.*\/perdura-soak-[^/]+)\/(?:[^/]+\/)?disk-(?<pid>\d+)-\d+$/;

/**
 * Unmounts the disks of runs that were killed, and removes their directories. The last unmount releases the loop device
 * of a file.
 *
 * @returns The mount points.
 */
export function removeDeadDisks(): string[] {
  if (!existsSync("/proc/self/mounts")) return [];
  const dead = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => (line.split(" ")[1] ?? "").replaceAll("\\040", " "))
    .filter((mounted) => isDead(OURS.exec(mounted)?.groups?.["pid"]));
  const gone = dead.filter((mounted) => spawnSync("umount", ["--lazy", mounted]).status === 0);
  for (const mounted of gone) rmSync(OURS.exec(mounted)?.groups?.["place"] as string, { recursive: true, force: true });
  return gone;
}

function isDead(pid: string | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
