// A process that makes spans until it is killed, 100 at a time, and prints after each write how many are stored.
// Argument: the database.
import { writeSync } from "node:fs";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { MetricsCollector } from "@perdura/v16";
import { PerduraSpanProcessor } from "../../src/index.ts";

const processor = new PerduraSpanProcessor(new MetricsCollector(process.argv[2] as string));
const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer("test");
const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" };
for (;;) {
  for (let made = 0; made < 100; made += 1) tracer.startSpan("tool", { attributes }).end();
  await processor.forceFlush();
  writeSync(1, `${processor.counts.recorded}\n`);
}
