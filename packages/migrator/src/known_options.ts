import { assertKnown } from "./core/argument_checks.ts";
import type { AnyOptions, CommonOptions, MigrationOptions, PruneOptions, ReversionOptions } from "./core/options.ts";
import type { MigrationReport } from "./core/report.ts";

/** What every function reads. */
const COMMON: readonly (keyof CommonOptions)[] = [
  "backupDir",
  "stateDirectories",
  "busyTimeoutMs",
  "onProgress",
  "signal",
];

const MIGRATION: readonly (keyof MigrationOptions)[] = [
  "invalidRows",
  "nonFinite",
  "timestamps",
  "missingLevel",
  "lineFrom",
  "backup",
  "fence",
  "verify",
  "rehearse",
  "deferIndexes",
  "saveReport",
  ...COMMON,
];

const REVERSION: readonly (keyof ReversionOptions)[] = ["dryRun", "backup", "saveReport", ...COMMON];
const PRUNING: readonly (keyof PruneOptions)[] = ["dryRun", "pruneBackups", "saveReport", ...COMMON];

/** Each function of the library by its command, and the options that it reads. */
const FUNCTIONS: Record<MigrationReport["command"], { name: string; options: readonly (keyof AnyOptions)[] }> = {
  plan: { name: "planMigration", options: MIGRATION },
  up: { name: "migrate", options: MIGRATION },
  verify: { name: "verifyMigration", options: COMMON },
  status: { name: "migrationStatus", options: COMMON },
  down: { name: "revertMigration", options: REVERSION },
  prune: { name: "pruneMigration", options: PRUNING },
};

/** @throws ValidationError for options that are none of this function. */
export function assertOptionsOf(command: MigrationReport["command"], options: unknown): void {
  const { name, options: known } = FUNCTIONS[command];
  assertKnown(name, options, known, (option) => {
    const others = Object.values(FUNCTIONS).filter((other) => (other.options as readonly string[]).includes(option));
    return others.length === 0 ? "" : ` (it is one of ${others.map((other) => other.name).join(", ")})`;
  });
}
