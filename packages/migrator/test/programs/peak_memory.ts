import { readFileSync } from "node:fs";
import { migrate, verifyMigration } from "../../src/index.ts";

/** `peak_memory.ts TARGET` migrates and verifies, and prints how many megabytes it had at most. */
const [target = ""] = process.argv.slice(2);
await migrate(target);
await verifyMigration(target);
process.stdout.write(String(peakMegabytes()));

/** What the system counts for a process begins with that of the one which started it; Linux tells of the program alone. */
function peakMegabytes(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024;
  return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}
