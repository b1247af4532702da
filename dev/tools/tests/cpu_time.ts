import { readFileSync } from "node:fs";

/** CPU time in seconds, user and system. */
export interface CpuTime {
  own: number;
  /** CPU time of all descendants that have ended; undefined if the system does not report it. */
  children: number | undefined;
}

/** The unit of times in /proc, the same on all current machines (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;

/** CPU time of this process since its start, and of its children. */
export function cpuTime(): CpuTime {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (process.platform !== "linux") return { own, children: undefined };
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name of the program, in parentheses, may contain spaces. cutime and cstime are fields 16 and 17, see proc(5).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { own, children: (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND };
}

/** Their sum; without children if the system does not report them. */
export function cpuSeconds(): number {
  const { own, children = 0 } = cpuTime();
  return own + children;
}
