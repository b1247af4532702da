import type { UserConfig } from "tsdown";

/** The packages that are published as parts of others. */
const OURS = [/^@perdura\/(?:internals|cli)(?:\/|$)/];

/** How every published package is built: ESM for the oldest Node that perdura supports, with types, internals and the kit inside. */
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
    // They are private: their code and types go into the package that uses them. Nobody else's code does, whose
    // licence would have to go along.
    deps: { alwaysBundle: OURS, onlyBundle: OURS },
  };
}
