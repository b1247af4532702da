import { readFileSync } from "node:fs";

/** Peak memory of a process in MB; null if the system does not report it. */
export function peakMemoryOf(pid: number): number | null {
  const kilobytes = kilobytesOf(pid, "status", "VmHWM");
  return kilobytes === 0 ? null : kilobytes / 1000;
}

/** Peak memory of this process in MB. */
export function ownPeakMemory(): number {
  return peakMemoryOf(process.pid) ?? process.resourceUsage().maxRSS / 1000;
}

/** A number that Linux reports for a process; 0 without the process or the number. */
export function kilobytesOf(pid: number, file: string, name: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/${file}`, "utf8");
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
