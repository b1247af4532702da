import { defineConfig } from "tsdown";
import { bundle } from "../../dev/tools/bundle.ts";

export default defineConfig(bundle({ index: "src/index.ts" }, "library"));
