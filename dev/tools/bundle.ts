import type { UserConfig } from "tsdown";
import { builtinModules } from "./builtin_modules.ts";
import { portableTypes } from "./portable_types.ts";
import { shippedSources } from "./shipped_sources.ts";

/**
 * The code that a program needs to read its arguments in one file, and the commands of the migrator in another: each file
 * takes Node.js half a millisecond. Ctrl-C is handled before the first is loaded.
 */
export const START_OF_PROGRAM = {
  codeSplitting: {
    groups: [
      { name: "interrupt", test: /[\\/]cli[\\/]src[\\/]interrupt\.ts$/, priority: 2 },
      { name: "main", test: /[\\/]src[\\/]cli[\\/]main\.ts$/, priority: 1 },
      { name: "commands", test: /[\\/]src[\\/]cli[\\/]data_commands\.ts$/ },
    ],
  },
} satisfies UserConfig["outputOptions"];

/** The code of a library in one file: most programs import all of it. */
const ONE_FILE = {
  codeSplitting: { groups: [{ name: "perdura", test: /(?<!\.d)\.ts$/ }] },
} satisfies UserConfig["outputOptions"];

/** The packages that are published as parts of others. */
const OURS = [/^@perdura\/(?:internals|cli|summary)(?:\/|$)/];

/**
 * Build settings of every published package: ESM for the oldest Node that perdura supports, with types, including
 * internals and the kit. All packages have the sources of their declarations, for editors.
 *
 * @param kind The code of a library also has source maps, for debuggers and stack traces. A program would double in size.
 */
export function bundle(entry: Record<string, string>, kind: "library" | "program" = "program"): UserConfig {
  return {
    entry,
    format: "esm",
    platform: "node",
    target: "node22.14",
    dts: { sourcemap: true },
    clean: true,
    fixedExtension: false,
    sourcemap: true,
    plugins: [builtinModules(), portableTypes(), shippedSources(kind === "library")],
    // The declarations and the shipped sources have the comments.
    outputOptions: { comments: { jsdoc: false }, ...(kind === "program" ? START_OF_PROGRAM : ONE_FILE) },
    // They are private: their code and types go into the package that uses them. Third-party code does not, because its
    // licence would have to be included.
    deps: { alwaysBundle: OURS, onlyBundle: OURS },
  };
}
