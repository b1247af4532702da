import { readFileSync } from "node:fs";
import { migrate, verifyMigration } from "../../src/index.ts";

/** `peak_memory.ts TARGET` migrates and verifies, and prints its peak memory in megabytes. */
const [target = ""] = process.argv.slice(2);
await migrate(target);
await verifyMigration(target);
process.stdout.write(String(peakMegabytes()));

/** The system's count for a process begins with that of its parent; Linux also has the number for the program alone. */
function peakMegabytes(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024;
  return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}
