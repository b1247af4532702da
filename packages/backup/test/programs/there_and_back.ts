/**
 * `there_and_back.ts PACKAGE ADDRESS PATHS…` backs files up and restores them, one after the other, and prints the peak
 * of memory after each, in MB. PACKAGE is the built package, which starts faster than the sources.
 */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import type { openBackupStore as open } from "../../src/index.ts";

const [built, address, ...paths] = process.argv.slice(2) as [string, string, ...string[]];
const { openBackupStore } = (await import(built)) as { openBackupStore: typeof open };

function peak(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest("hex");
}

const store = await openBackupStore(address);
const peaks: number[] = [];
for (const [index, path] of paths.entries()) {
  await store.backup(path, { name: `large ${index}` });
  await store.restore(`large ${index}`, { to: `${path}.back` });
  peaks.push(peak());
}
await store.close();
const hashes = await Promise.all(paths.map(async (path) => [await hashOf(path), await hashOf(`${path}.back`)]));
process.stdout.write(JSON.stringify({ peaks, equal: hashes.every(([before, after]) => before === after) }));
