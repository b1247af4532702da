/** Backs a file up, restores it, and prints how much memory that took beside what the program has anyway, in MB. */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { openBackupStore } from "../../src/index.ts";

const [address, path] = process.argv.slice(2) as [string, string];

function peak(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest("hex");
}

const store = await openBackupStore(address);
// What the SDK and the first request take is no part of the library.
await store.list("large");
const before = peak();
await store.backup(path, { name: "large" });
await store.restore("large", { to: `${path}.back` });
const beside = peak() - before;
await store.close();
const equal = (await hashOf(path)) === (await hashOf(`${path}.back`));
process.stdout.write(JSON.stringify({ beside, equal }));
