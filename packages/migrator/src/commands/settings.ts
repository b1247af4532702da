import { statSync } from "node:fs";
import { resolve } from "node:path";
import { assertKnown, assertPath, progressFunction, wrongArgument } from "../core/argument_checks.ts";
import type {
  AnyOptions,
  CommonOptions,
  MigrationOptions,
  MissingLevel,
  MissingLevelOption,
  PruneOptions,
  DowngradeOptions,
  Settings,
} from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { missingStates } from "../find/lost.ts";

/** @throws ValidationError that names the wrong option; nothing has been read or written. */
export function settingsFrom(options: AnyOptions = {}): Settings {
  return {
    invalidRows: oneOf("invalidRows", options.invalidRows, ["abort", "quarantine"]),
    nonFinite: oneOrNone("nonFinite", options.nonFinite, ["null", "text"]),
    timestamps: oneOrNone("timestamps", options.timestamps, ["drop-zone", "utc"]),
    patternIds: oneOrNone("patternIds", options.patternIds, ["assign"]),
    missingLevel: missingLevelOf(options.missingLevel),
    brokenReferences: oneOf("brokenReferences", options.brokenReferences, ["abort", "repair"]),
    backup: flag("backup", options.backup, true),
    backupDir: options.backupDir === undefined ? null : existingDirectory("backupDir", options.backupDir),
    stateDirectories: stateDirectories(options.stateDirectories),
    fence: oneOf("fence", options.fence, ["tombstone", "none"]),
    rehearse: flag("rehearse", options.rehearse, false),
    dryRun: flag("dryRun", options.dryRun, false),
    pruneBackups: flag("pruneBackups", options.pruneBackups, false),
    busyTimeoutMs: milliseconds("busyTimeoutMs", options.busyTimeoutMs),
    saveReport: flag("saveReport", options.saveReport, true),
    onProgress: progressFunction("onProgress", options.onProgress) ?? (() => undefined),
    signal: signalOf(options.signal),
  };
}

/** The first choice is the default. */
function oneOf<Choice extends string>(
  option: string,
  value: Choice | undefined,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  if (value === undefined) return choices[0];
  if (choices.includes(value)) return value;
  throw wrongArgument(option, choices.map((choice) => `"${choice}"`).join(" or "), value);
}

function oneOrNone<Choice extends string>(
  option: string,
  value: Choice | undefined,
  choices: readonly [Choice, ...Choice[]],
): Choice | null {
  return value === undefined ? null : oneOf(option, value, choices);
}

function flag(option: string, value: boolean | undefined, otherwise: boolean): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? otherwise;
  throw wrongArgument(option, "true or false", value);
}

/** SQLite's busy time-out is a 32-bit integer. */
const LONGEST_MS = 2 ** 31 - 1;

function milliseconds(option: string, value: number | undefined): number {
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
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return resolve(path);
  throw wrongArgument(option, '"from-file,PATH" with the path of an existing database', path);
}

/** Returns false also if `stat` fails. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** Options of every function. */
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
  "patternIds",
  "missingLevel",
  "brokenReferences",
  "backup",
  "fence",
  "rehearse",
  "saveReport",
  ...COMMON,
];

const DOWNGRADE: readonly (keyof DowngradeOptions)[] = ["dryRun", "backup", "saveReport", ...COMMON];
const PRUNING: readonly (keyof PruneOptions)[] = ["dryRun", "pruneBackups", "saveReport", ...COMMON];

/** The function of the API for each command, and the options that it reads. */
const FUNCTIONS: Record<MigrationReport["command"], { name: string; options: readonly (keyof AnyOptions)[] }> = {
  plan: { name: "planMigration", options: MIGRATION },
  up: { name: "migrate", options: MIGRATION },
  verify: { name: "verifyMigration", options: COMMON },
  status: { name: "migrationStatus", options: COMMON },
  down: { name: "downgradeMigration", options: DOWNGRADE },
  prune: { name: "pruneMigration", options: PRUNING },
};

/** @throws ValidationError for options that this function does not have. */
export function assertOptionsOf(command: MigrationReport["command"], options: unknown): void {
  const { name, options: known } = FUNCTIONS[command];
  assertKnown(name, options, known, (option) => {
    const others = Object.values(FUNCTIONS).filter((other) => (other.options as readonly string[]).includes(option));
    return others.length === 0 ? "" : ` (an option of ${others.map((other) => other.name).join(", ")})`;
  });
}
