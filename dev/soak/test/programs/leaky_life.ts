import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { MetricsCollector } from "@perdura/v16";
import { measureProcess } from "../../src/long_life/measure.ts";

/**
 * `leaky_life.ts DIRECTORY LEAK HOURS`: a program that leaks what it opens, and prints its measurements after each
 * hour.
 */
const [directory = "", leak = "", hours = ""] = process.argv.slice(2);
const path = join(directory, "metrics.db");
const collector = new MetricsCollector(path, { durability: "normal" });
const kept: unknown[] = [];
let hour = 0;

const leaks: Record<string, () => void> = {
  nothing: () => undefined,
  objects: () => kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index, hour }))),
  memory: () => kept.push(Buffer.alloc(5_000_000, 1)),
  handles: () => kept.push(openSync("/dev/null", "r")),
  readers: () => {
    const reader = new Database(path, { readonly: true });
    reader.prepare("SELECT count(*) FROM interactions").get();
    kept.push(reader);
  },
  "what is forgotten": () =>
    void new Database(path, { readonly: true }).prepare("SELECT count(*) FROM interactions").get(),
  files: () => writeFileSync(join(directory, ".all.json.0a1b2c3d-1-0a1b2c3d.perdura-tmp"), ""),
};

for (; hour < Number(hours); hour += 1) {
  for (let row = 0; row < 20; row += 1) collector.recordMetric("ada", true, row);
  leaks[leak]?.();
  process.stdout.write(`hour ${JSON.stringify(await measureProcess(directory, path, 0))}\n`);
}
