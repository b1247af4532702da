import { resolve } from "node:path";
import { assertKnown, assertPath, progressFunction, wrongArgument } from "../core/argument_checks.ts";
import {
  type AnyOptions,
  CHOICES,
  type CommonOptions,
  type MigrationOptions,
  type MissingLevel,
  type MissingLevelOption,
  type PruneOptions,
  type DowngradeOptions,
  type Settings,
} from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { missingStates } from "../find/lost.ts";
import { statsOf } from "../io/stats_of.ts";

/** Checks the value of an option, and fills in its default. */
type Check<Name extends keyof AnyOptions> = (value: AnyOptions[Name], option: string) => Settings[Name];

/** The options of a function. */
type Checks<Options> = { readonly [Name in keyof Options & keyof AnyOptions]-?: Check<Name> };

const COMMON: Checks<CommonOptions> = {
  backupDir: (value, option) => (value === undefined ? null : existingDirectory(option, value)),
  stateDirectories,
  busyTimeoutMs: milliseconds,
  onProgress: (value, option) => progressFunction(option, value) ?? (() => undefined),
  signal: signalOf,
};

const MIGRATION: Checks<MigrationOptions> = {
  invalidRows: oneOf(CHOICES.invalidRows),
  nonFinite: oneOrNone(CHOICES.nonFinite),
  timestamps: oneOrNone(CHOICES.timestamps),
  patternIds: oneOrNone(CHOICES.patternIds),
  missingLevel: missingLevelOf,
  brokenReferences: oneOf(CHOICES.brokenReferences),
  backup: flag(true),
  fence: oneOf(CHOICES.fence),
  rehearse: flag(false),
  saveReport: flag(true),
  ...COMMON,
};

const { backup, saveReport } = MIGRATION;

const DOWNGRADE: Checks<DowngradeOptions> = { dryRun: flag(false), backup, saveReport, ...COMMON };

const PRUNING: Checks<PruneOptions> = { dryRun: flag(false), pruneBackups: flag(false), saveReport, ...COMMON };

const ALL: Checks<AnyOptions> = { ...MIGRATION, ...DOWNGRADE, ...PRUNING };

/** @throws ValidationError that names the wrong option; nothing has been read or written. */
export function settingsFrom(options: AnyOptions = {}): Settings {
  const checked = Object.entries(ALL).map(([option, check]) => [
    option,
    (check as (value: unknown, option: string) => unknown)(options[option as keyof AnyOptions], option),
  ]);
  return Object.fromEntries(checked) as Settings;
}

/** The first choice is the default. */
function oneOf<Choice extends string>(
  choices: readonly [Choice, ...Choice[]],
): (value: Choice | undefined, option: string) => Choice {
  return (value, option) => {
    if (value === undefined) return choices[0];
    if (choices.includes(value)) return value;
    throw wrongArgument(option, choices.map((choice) => `"${choice}"`).join(" or "), value);
  };
}

function oneOrNone<Choice extends string>(
  choices: readonly [Choice, ...Choice[]],
): (value: Choice | undefined, option: string) => Choice | null {
  const check = oneOf(choices);
  return (value, option) => (value === undefined ? null : check(value, option));
}

function flag(otherwise: boolean): (value: boolean | undefined, option: string) => boolean {
  return (value, option) => {
    if (value === undefined || typeof value === "boolean") return value ?? otherwise;
    throw wrongArgument(option, "true or false", value);
  };
}

/** SQLite's busy time-out is a 32-bit integer. */
const LONGEST_MS = 2 ** 31 - 1;

function milliseconds(value: number | undefined, option: string): number {
  if (value === undefined) return 5000;
  if (Number.isInteger(value) && value >= 0 && value <= LONGEST_MS) return value;
  throw wrongArgument(option, `an integer of milliseconds from 0 to ${LONGEST_MS}`, value);
}

function signalOf(value: AbortSignal | undefined): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value;
  throw wrongArgument("signal", "an AbortSignal", value);
}

/** A name may be in double quotes, as in SQL. */
const MISSING_LEVEL =
  /^(?:(?:(?<state>from-state)|from-(?<place>table|file),(?:"(?<quoted>(?:[^"]|"")+)"|(?<name>(?!").+?)))(?:,(?<otherwise>[1-5]))?|(?<all>[1-5]))$/su;

function missingLevelOf(value: MissingLevelOption | undefined): MissingLevel | null {
  if (value === undefined || value === "abort") return null;
  const match = typeof value === "string" || typeof value === "number" ? MISSING_LEVEL.exec(String(value)) : null;
  if (match === null || match.groups?.["name"]?.includes("\0") === true)
    throw wrongArgument(
      "missingLevel",
      '"abort", "from-state", "from-state,N", "from-table,NAME", "from-table,NAME,N", "from-file,PATH", "from-file,PATH,N" or a level N from 1 to 5',
      value,
    );
  const { state, place, quoted, name, otherwise, all } = match.groups ?? {};
  const level = otherwise ?? all;
  const named = quoted?.replaceAll('""', '"') ?? name ?? null;
  return {
    fromState: state !== undefined,
    fromTable: place === "table" ? named : null,
    fromFile: place === "file" ? existingFile("missingLevel", named as string) : null,
    otherwise: level === undefined ? null : Number(level),
  };
}

function stateDirectories(value: readonly string[] | undefined): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrongArgument("stateDirectories", "an array of paths", value);
  // `map` would skip a hole of an array.
  return Array.from(value as readonly string[], stateDirectory);
}

function stateDirectory(path: string): string {
  const expected = "an existing directory, or a missing one whose archive is next to it";
  assertPath("stateDirectories", path, expected);
  if (isDirectory(path) || missingStates(path) !== undefined) return resolve(path);
  throw wrongArgument("stateDirectories", expected, path);
}

function existingDirectory(option: string, path: string): string {
  assertPath(option, path, "an existing directory");
  if (isDirectory(path)) return resolve(path);
  throw wrongArgument(option, "an existing directory", path);
}

function existingFile(option: string, path: string): string {
  if (statsOf(path)?.isFile() === true) return resolve(path);
  throw wrongArgument(option, '"from-file,PATH" with the path of an existing database', path);
}

const isDirectory = (path: string): boolean => statsOf(path)?.isDirectory() === true;

/** The function of the API for each command, and its options. */
const FUNCTIONS: Record<MigrationReport["command"], { name: string; options: object }> = {
  plan: { name: "planMigration", options: MIGRATION },
  up: { name: "migrate", options: MIGRATION },
  verify: { name: "verifyMigration", options: COMMON },
  status: { name: "migrationStatus", options: COMMON },
  down: { name: "downgradeMigration", options: DOWNGRADE },
  prune: { name: "pruneMigration", options: PRUNING },
};

/** Names of the options of a migration. */
export const MIGRATION_OPTIONS: readonly (keyof MigrationOptions)[] = Object.keys(
  MIGRATION,
) as (keyof MigrationOptions)[];

/** @throws ValidationError for options that this function does not have. */
export function assertOptionsOf(command: MigrationReport["command"], options: unknown): void {
  const { name, options: known } = FUNCTIONS[command];
  assertKnown(name, options, Object.keys(known), (option) => {
    const others = Object.values(FUNCTIONS).filter((other) => Object.hasOwn(other.options, option));
    return others.length === 0 ? "" : ` (an option of ${others.map((other) => other.name).join(", ")})`;
  });
}
