import { defineConfig } from "tsdown";
import { asciiCode } from "../../dev/tools/ascii_code.ts";
import { builtinModules } from "../../dev/tools/builtin_modules.ts";
import { START_OF_PROGRAM } from "../../dev/tools/bundle.ts";
import { directImports } from "../../dev/tools/direct_imports.ts";
import { portableTypes } from "../../dev/tools/portable_types.ts";
import { shippedSources } from "../../dev/tools/shipped_sources.ts";

export default defineConfig({
  entry: {
    cli: "src/cli.ts",
    index: "src/index.ts",
    vitest: "src/vitest.ts",
    hold_lock: "src/inspect/hold_lock.ts",
    "adapters/v15": "adapters/v15.ts",
    "adapters/v16": "adapters/v16.ts",
    "adapters/v16_postgres": "adapters/v16_postgres.ts",
    "adapters/stdio": "adapters/stdio.ts",
  },
  format: "esm",
  platform: "node",
  target: "node22",
  dts: { sourcemap: true },
  sourcemap: true,
  plugins: [builtinModules(), portableTypes(), shippedSources(false), directImports(), asciiCode()],
  outputOptions: START_OF_PROGRAM,
  fixedExtension: false,
  // The schemas of the files that are judged lie at the root of the repository, for every language.
  copy: [{ from: "../../schemas", to: "schemas", rename: "product" }],
  // The suite must stay separate from what it judges: the adapters import the published lines. The kit of the
  // programs imports no line.
  deps: {
    neverBundle: [/^@perdura\/(?!cli\/)/, /^perdura-1[56]/, "pg"],
    alwaysBundle: [/^@perdura\/cli\//],
    onlyBundle: [/^@perdura\/cli\//],
  },
});
