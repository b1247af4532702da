import type { UserConfig } from "tsdown";
import { asciiCode } from "./ascii_code.ts";
import { builtinModules } from "./builtin_modules.ts";
import { directImports } from "./direct_imports.ts";
import { portableTypes } from "./portable_types.ts";
import { shippedSources } from "./shipped_sources.ts";

/**
 * Files of a program, each with all code that it needs and no earlier file has: for Ctrl-C, which is handled before others
 * are loaded, for reading arguments, and in the migrator for commands and a plan, for items that not every run has, and for
 * further commands. A file takes Node.js half a millisecond, and 80 kB of code take one.
 */
const FILES: readonly [name: string, module: RegExp][] = [
  ["interrupt", /[\\/]cli[\\/]src[\\/]interrupt\.ts$/],
  ["main", /[\\/]src[\\/]cli[\\/]main\.ts$/],
  ["commands", /[\\/]src[\\/]cli[\\/]data_commands\.ts$/],
  ["states", /[\\/]src[\\/]archive[\\/]write[\\/]plan_states\.ts$/],
  ["libraries", /[\\/]src[\\/]library[\\/]library_report\.ts$/],
  ["up", /[\\/]src[\\/]commands[\\/]up\.ts$/],
  ["verify", /[\\/]src[\\/]commands[\\/]verify\.ts$/],
  ["down", /[\\/]src[\\/]commands[\\/]down\.ts$/],
];

export const START_OF_PROGRAM = {
  codeSplitting: { groups: FILES.map(([name, test], index) => ({ name, test, priority: FILES.length - index })) },
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
    plugins: [
      builtinModules(),
      portableTypes(),
      shippedSources(kind === "library"),
      ...(kind === "program" ? [directImports()] : []),
      asciiCode(),
    ],
    // The declarations and the shipped sources have the comments.
    outputOptions: { comments: { jsdoc: false }, ...(kind === "program" ? START_OF_PROGRAM : ONE_FILE) },
    // They are private: their code and types go into the package that uses them. Third-party code does not, because its
    // licence would have to be included.
    deps: { alwaysBundle: OURS, onlyBundle: OURS },
  };
}
