// A separate process that records one row and prints the journal mode. Argument: path.
import { MetricsCollector } from "@perdura/v16";

const collector = new MetricsCollector(process.argv[2] as string);
process.stdout.write(`${collector.journalMode} ${collector.recordInteraction("a", 1, true, 1)}\n`);
collector.close();
