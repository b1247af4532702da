import { writeSync } from "node:fs";
import { MetricsCollector } from "@perdura/v16";

// A separate process that records row after row and prints the id of each once it is recorded. Argument: path.

const collector = new MetricsCollector(process.argv[2] as string);
// A reader may be slow: process.stdout would queue the line, and this loop never lets it send the queue.
for (;;) writeSync(1, `${collector.recordInteraction("user", 3, true, 1)}\n`);
