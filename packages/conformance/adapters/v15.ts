import * as facade from "perdura-15/persistence";
import { VERSION } from "perdura-15";
import type { Adapter } from "../src/protocol/messages.ts";
import type { Args } from "./arguments.ts";
import { LineAdapter, WORKING_DIRECTORY } from "./line_adapter.ts";
import { metricsOperations } from "./metrics_operations.ts";
import { configurationOperations, moduleOperations } from "./module_operations.ts";
import { patternOperations } from "./pattern_operations.ts";
import { RULED } from "./rulings.ts";
import { stateOperations } from "./state_operations.ts";

/** The adapter of the pre-16 line. */
export function createAdapter(): Adapter {
  return new LineAdapter({
    introduction: {
      protocol: 1,
      spec_version: VERSION,
      implementation: { name: "perdura", version: VERSION, language: "TypeScript" },
      capabilities: [
        "patterns_json",
        "patterns_sqlite",
        "usage",
        "metrics",
        "trends",
        "export",
        "state",
        "configuration",
        "persistence",
        "modules",
        ...WORKING_DIRECTORY,
      ],
      choices: RULED,
    },
    isPerduraError: facade.isPerduraError,
    operations: {
      ...patternOperations(facade),
      ...metricsOperations(facade, recordMetric),
      ...stateOperations(facade),
      ...configurationOperations(facade.openPersistence as never),
      ...moduleOperations((subpath) => import(`perdura-15${subpath}`) as Promise<object>),
    },
  });
}

/** Without `empathy_level` the other arguments move up, as in a call written for 16+. */
function recordMetric(collector: facade.MetricsCollector, args: Args): void {
  const level = "empathy_level" in args ? [args.empathy_level] : [];
  const rest = "metadata" in args ? [args.metadata] : [];
  const values = [args.user_id, ...level, args.success, args.response_time_ms, ...rest];
  collector.recordMetric(...(values as unknown as Parameters<facade.MetricsCollector["recordMetric"]>));
}
