import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["@perdura/source"];

export default defineConfig({
  root: fileURLToPath(new URL("../", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, "node"] } },
  test: {
    include: ["mutation/conformance/*.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
});
