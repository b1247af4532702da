import { defineConfig } from "tsdown";
import { bundle } from "../../dev/tools/bundle.ts";

export default defineConfig(
  bundle({
    cli: "src/cli.ts",
    index: "src/index.ts",
    // Started as a thread by its file name.
    check_work: "src/local/check_work.ts",
  }),
);
