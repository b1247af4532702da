import type { UserConfig } from "tsdown";

/** How every published package is built: ESM for the oldest Node that perdura supports, with types, internals inside. */
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
    // Internals are private: their code and types go into the package that uses them. Nobody else's code does, whose
    // licence would have to go along.
    deps: { alwaysBundle: [/^@perdura\/internals/], onlyBundle: [/^@perdura\/internals/] },
  };
}
