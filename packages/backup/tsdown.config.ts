import { defineConfig } from "tsdown";
import { bundle } from "../../tools/bundle.ts";

export default defineConfig(bundle({ index: "src/index.ts" }));
