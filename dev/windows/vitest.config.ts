import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { PATIENCE_MS } from "../../test/patience.ts";

/** Tests run on the sources, as in the configuration of the repository. */
const conditions = ["@perdura/source"];

/** Tests that hold for both lines, in one process: under wine, a process starts slowly. */
export default defineConfig({
  root: fileURLToPath(new URL("../../", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, "node"] } },
  test: {
    include: ["test/lines/**/*.test.ts"],
    pool: "forks",
    isolate: false,
    maxWorkers: 1,
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    teardownTimeout: PATIENCE_MS,
    silent: "passed-only",
    reporters: ["dot"],
  },
});
