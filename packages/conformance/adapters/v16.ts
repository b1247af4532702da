import * as line from "perdura-16";
import { MetricsCollector } from "perdura-16/metrics_collector";
import { PatternLibrary } from "perdura-16/pattern_library";
import { PatternPersistence } from "perdura-16/pattern_persistence";
import type { Adapter } from "../src/protocol/messages.ts";
import type { Args } from "./arguments.ts";
import { LineAdapter, WORKING_DIRECTORY } from "./line_adapter.ts";
import { metricValues } from "./metric_values.ts";
import { metricsOperations } from "./metrics_operations.ts";
import { MigrationRefused, migrationOperations } from "./migration_operations.ts";
import { configurationOperations, moduleOperations } from "./module_operations.ts";
import { patternOperations } from "./pattern_operations.ts";
import { RULED } from "./rulings.ts";

/** The adapter of the 16+ line; its classes come from the import locations of section 9. */
export function createAdapter(): Adapter {
  return new LineAdapter({
    introduction: {
      protocol: 1,
      spec_version: line.VERSION,
      implementation: { name: "perdura", version: line.VERSION, language: "TypeScript" },
      capabilities: [
        "patterns_json",
        "patterns_sqlite",
        "usage",
        "metrics",
        "trends",
        "export",
        "configuration",
        "persistence",
        "modules",
        "migration",
        ...WORKING_DIRECTORY,
      ],
      choices: RULED,
    },
    isPerduraError: line.isPerduraError,
    isRefusal: (error) => error instanceof MigrationRefused,
    operations: {
      ...patternOperations({ PatternLibrary, PatternPersistence }),
      ...metricsOperations({ MetricsCollector }, recordMetric),
      ...configurationOperations(line.openPersistence as never),
      ...migrationOperations,
      ...moduleOperations((subpath) => import(`perdura-16${subpath}`) as Promise<object>),
    },
  });
}

function recordMetric(collector: MetricsCollector, args: Args): void {
  collector.recordMetric(...(metricValues(args) as Parameters<MetricsCollector["recordMetric"]>));
}
