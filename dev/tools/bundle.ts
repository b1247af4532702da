import type { UserConfig } from "tsdown";
import { portableTypes } from "./portable_types.ts";

/** The packages that are published as parts of others. */
const OURS = [/^@perdura\/(?:internals|cli|summary)(?:\/|$)/];

/**
 * Build settings of every published package: ESM for the oldest Node that perdura supports, with types, including
 * internals and the kit.
 */
export function bundle(entry: Record<string, string>): UserConfig {
  return {
    entry,
    format: "esm",
    platform: "node",
    target: "node22.14",
    dts: true,
    clean: true,
    fixedExtension: false,
    sourcemap: false,
    plugins: [portableTypes()],
    // They are private: their code and types go into the package that uses them. Third-party code does not, because its
    // licence would have to be included.
    deps: { alwaysBundle: OURS, onlyBundle: OURS },
  };
}
