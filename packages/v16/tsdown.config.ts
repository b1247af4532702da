import { defineConfig } from "tsdown";
import { bundle } from "../../dev/tools/bundle.ts";

export default defineConfig(
  bundle(
    {
      index: "src/index.ts",
      pattern_persistence: "src/pattern_persistence.ts",
      metrics_collector: "src/metrics_collector.ts",
      pattern_library: "src/pattern_library.ts",
    },
    "library",
  ),
);
