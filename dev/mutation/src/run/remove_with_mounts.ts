import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { sep } from "node:path";
import { program } from "./program.ts";

/**
 * Removes a folder with everything below it, also what tests have mounted there, or made immutable, that were killed before
 * they could take it away.
 */
export function removeWithMounts(folder: string): void {
  for (const place of mountedBelow(folder)) program("umount", ["--lazy", place], { cwd: "/" });
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    remove();
  } catch (error) {
    if ((error as { code?: string }).code !== "EPERM" || process.platform !== "linux") throw error;
    // It complains of links, which have no attributes: whether it helped is seen by what follows.
    spawnSync("chattr", ["-R", "-f", "-ia", folder]);
    remove();
  }
}

/** What was mounted last comes first. */
function mountedBelow(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => (line.split(" ")[1] ?? "").replaceAll(/\\([0-7]{3})/g, (_, digits: string) => octal(digits)))
    .filter((place) => place.startsWith(folder + sep))
    .toReversed();
}

const octal = (digits: string): string => String.fromCharCode(Number.parseInt(digits, 8));
