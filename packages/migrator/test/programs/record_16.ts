/** `record_16.ts DATABASE NAME`: a program of version 16, which keeps its connection and its log. */
import { MetricsCollector } from "@perdura/v16";
import { recordUntilEnd } from "./protocol.ts";

const [path = "", name = ""] = process.argv.slice(2);
const collector = new MetricsCollector(path);
recordUntilEnd((number) => {
  collector.recordMetric(name, true, number / 8, { n: number });
  return "?";
});
