import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import projects from "../../../../vitest.config.ts";
import { runSettings } from "../run/run_settings.ts";
import { testsFor } from "./tests_for.ts";

// The tests that concern the mutated files, in one project: Stryker tells tests apart by file and name. The limits and
// the resolution are those of all tests.
const { test, resolve, ssr } = projects;
const { files, tests } = runSettings();
const only = tests.map((path) => (path.endsWith(".ts") ? path : `${path}/**/*.test.ts`));

export default defineConfig({
  root: fileURLToPath(new URL("../../../../", import.meta.url)),
  ...(resolve && { resolve }),
  ...(ssr && { ssr }),
  test: {
    ...testsFor(files),
    ...(only.length > 0 && { include: only }),
    setupFiles: [fileURLToPath(new URL("./child_setup.ts", import.meta.url))],
    testTimeout: test?.testTimeout ?? 0,
    hookTimeout: test?.hookTimeout ?? 0,
  },
});
