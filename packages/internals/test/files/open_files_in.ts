import { readdirSync, readlinkSync } from "node:fs";

/** How many files of a folder this process has open; Linux only. */
export function openFilesIn(folder: string): number {
  return readdirSync("/proc/self/fd").filter((name) => targetOf(name).startsWith(folder)).length;
}

/** What a descriptor leads to; the one that lists them is gone by now. */
function targetOf(name: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${name}`);
  } catch {
    return "";
  }
}
