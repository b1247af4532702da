// A process of its own that records row after row and tells the id of each once it is recorded. Argument: path.
import { MetricsCollector } from "@perdura/v16";

const collector = new MetricsCollector(process.argv[2] as string);
for (;;) process.stdout.write(`${collector.recordInteraction("user", 3, true, 1)}\n`);
