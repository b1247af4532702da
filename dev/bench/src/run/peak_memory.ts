import { readFileSync } from "node:fs";

/** The most memory that a process ever had, in MB; null where the system does not tell. */
export function peakMemoryOf(pid: number): number | null {
  const kilobytes = kilobytesOf(pid, "status", "VmHWM");
  return kilobytes === 0 ? null : kilobytes / 1000;
}

/** The most memory that this process ever had, in MB. */
export function ownPeakMemory(): number {
  return peakMemoryOf(process.pid) ?? process.resourceUsage().maxRSS / 1000;
}

/** A number that Linux tells about a process; 0 where there is no such process or number. */
export function kilobytesOf(pid: number, file: string, name: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/${file}`, "utf8");
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
