/** `record_15.ts DATABASE NAME`: a program of version 15. One open connection with prepared statements and a log. */
import { MetricsCollector } from "@perdura/v15";
import { recordUntilEnd } from "./protocol.ts";

const [path = "", name = ""] = process.argv.slice(2);
try {
  const collector = new MetricsCollector(path);
  recordUntilEnd((number) => {
    collector.recordMetric(name, (number % 5) + 1, true, number / 8, { n: number });
    return "?";
  });
} catch (error) {
  process.stdout.write(`failed ${(error as Error).message}\n`);
  process.exitCode = 1;
}
