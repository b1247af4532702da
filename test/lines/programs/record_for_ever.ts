// A process of its own that records row after row and tells the id of each once it is recorded. Argument: path.
import { writeSync } from "node:fs";
import { MetricsCollector } from "@perdura/v16";

const collector = new MetricsCollector(process.argv[2] as string);
// Not by process.stdout: a reader that falls behind would make it keep what a loop like this one never lets it send.
for (;;) writeSync(1, `${collector.recordInteraction("user", 3, true, 1)}\n`);
