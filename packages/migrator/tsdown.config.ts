import { defineConfig } from "tsdown";
import { bundle } from "../../dev/tools/bundle.ts";

export default defineConfig([
  bundle({ cli: "src/cli.ts", index: "src/index.ts" }),
  // Started as processes by their file names. With code of their own, they need not load that of the commands.
  {
    ...bundle({
      file_work: "src/io/child/file_work.ts",
      check_work: "src/io/child/check_work.ts",
    }),
    clean: false,
    dts: false,
  },
]);
