import { defineConfig } from "tsdown";
import { bundle } from "../../tools/bundle.ts";

export default defineConfig(
  bundle({
    cli: "src/cli.ts",
    index: "src/index.ts",
    // Started as a process of its own by its file name beside the others.
    file_work: "src/child/file_work.ts",
  }),
);
