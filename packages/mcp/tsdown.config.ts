import { defineConfig } from "tsdown";
import { bundle } from "../../dev/tools/bundle.ts";

export default defineConfig(bundle({ cli: "src/cli.ts", index: "src/index.ts" }));
