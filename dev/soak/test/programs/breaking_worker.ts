import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "../../src/documents/workers.ts";

/** A worker that ends at one document, reports a fault of the next, and hangs at the one after it. */
const { from, to, place } = JSON.parse(process.argv[2] as string) as Job;
for (let index = from; index < to; index += 1) {
  writeFileSync(join(place, "progress"), String(index));
  if (index === 11) {
    console.error("no more");
    process.exit(3);
  }
  if (index === 12) appendFileSync(join(place, "found"), `${JSON.stringify({ index, text: "refused wrongly" })}\n`);
  if (index === 13) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
appendFileSync(join(place, "found"), `${JSON.stringify({ rss: 1234 })}\n`);
writeFileSync(join(place, "progress"), "done");
