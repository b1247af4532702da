import { expect, inject, test } from "vitest";
import { BareFolder } from "../src/bare_folder.ts";

/** The SDK of OpenTelemetry under its former and its newest name. */
const SDKS = [
  ["@opentelemetry/sdk-trace-base@2", "BasicTracerProvider", "@opentelemetry/api@1.9"],
  ["@opentelemetry/sdk-trace@3", "TracerProvider", "@opentelemetry/api@1"],
] as const;

test.for(SDKS)("spans are recorded by the installed packages with %s", ([sdk, provider, api]) => {
  const folder = new BareFolder(inject("npmRegistry"));
  folder.install("perdura@latest", "@perdura/otel", sdk, api);
  expect(
    folder.program(`
import { ${provider} } from "${sdk.slice(0, sdk.lastIndexOf("@"))}";
import { MetricsCollector } from "perdura";
import { PerduraSpanProcessor } from "@perdura/otel";

const metrics = new MetricsCollector("metrics.db");
const provider = new ${provider}({ spanProcessors: [new PerduraSpanProcessor(metrics, { user: "user.id" })] });
const attributes = { "gen_ai.operation.name": "execute_tool", "user.id": "alice" };
provider.getTracer("agent").startSpan("execute_tool search", { attributes }).end();
await provider.shutdown();
console.log(metrics.getUserStats("alice").total_operations);
metrics.close();`),
  ).toBe("1\n");
});
