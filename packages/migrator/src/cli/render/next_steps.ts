import { EXIT } from "@perdura/cli/exit_codes.js";
import { has } from "@perdura/cli/option_table.js";
import type { DatabaseReport, Decision, ItemStatus, MigrationReport, MissingLevels } from "../../core/report.ts";
import { commandLine } from "../../core/shell_words.ts";
import { fileOptionValue, optionValue } from "../../database/inspect/other_tables.ts";
import { type Arguments, type Command, type OptionName, OPTIONS } from "../table.ts";

/** A possible next step: a few words, and the commands to paste. */
export interface NextStep {
  words: string;
  commands: string[];
}

/** Options for a single run that the next command does not repeat. */
const ONCE: readonly string[] = ["yes", "rehearse", "dry-run"];

/** The next steps after a command; empty if nothing is left to do. */
export function nextSteps(report: MigrationReport, given: Arguments): NextStep[] {
  const repeat = repeater(given);
  if (report.exit_code === EXIT.interrupted)
    return report.dry_run ? [] : [step("To complete the remaining work", repeat(report.command, kept(given)))];
  if (report.exit_code === EXIT.busy)
    return [step("Once the programs that use the data are stopped", repeat(report.command, kept(given)))];
  if (report.exit_code === EXIT.decision)
    return report.command === "plan" || report.command === "up" ? decisions(report, repeat) : [];
  return report.exit_code === EXIT.done ? AFTER[report.command](report, repeat, given) : [];
}

type Repeater = (command: Command, added?: readonly string[], without?: readonly OptionName[]) => string;

/** Makes commands with the targets and options of the current one. */
function repeater({ given, words }: Arguments): Repeater {
  return (command, added = [], without = []) => {
    const options = given
      // The options that every program has also apply to one run only.
      .filter(({ name }) => name in OPTIONS && !ONCE.includes(name) && !without.some((each) => each === name))
      .filter(({ name }) => OPTIONS[name as OptionName].commands.includes(command))
      .flatMap(({ name, value }) => [`--${name}`, ...(value === undefined ? [] : [value])]);
    return commandLine(command, [...options, ...added], words);
  };
}

/** Options that the same command needs again. */
function kept(given: Arguments): string[] {
  return (["rehearse", "dry-run"] as const).filter((name) => has(given, name)).map((name) => `--${name}`);
}

function step(words: string, ...commands: string[]): NextStep {
  return { words, commands };
}

/** Commands with the options that make the pending decisions. `up` changes nothing while one item cannot be decided. */
function decisions(report: MigrationReport, repeat: Repeater): NextStep[] {
  const refused = report.databases.filter(({ status }) => status === "refused");
  const others = occurs(report, "planned") || occurs(report, "not_started") || refused.some(isDecidable);
  const undecidable =
    report.refused.length > 0 || occursIn(report.state_directories, "refused") || !refused.every(isDecidable);
  if (!undecidable) return flags(refused, repeat);
  return others ? [step("To migrate the other items first, specify each of them as a target")] : [];
}

/** True if an option can make the decision. */
function isDecidable({ decisions: found }: DatabaseReport): boolean {
  return found.length > 0;
}

function flags(refused: readonly DatabaseReport[], repeat: Repeater): NextStep[] {
  const unusual = refused.flatMap(({ unusual_rows: rows }) => rows.filter(({ blocks }) => blocks));
  const repairs = REPAIRS.filter(({ decision }) => unusual.some((rows) => rows.decision === decision));
  const repaired = repairs.flatMap(({ flag }) => flag);
  const rest = unusual.some(({ decision }) => decision === null);
  const quarantine = ["--invalid-rows", "quarantine"];
  const allow = (way: Decision): boolean =>
    refused.every(({ unusual_rows: rows, decisions: found }) => !rows.some(isAbout(way)) || found.includes(way));
  const ways: Way[] = [
    ...(repairs.length === 0 || !allow("repair")
      ? []
      : [{ words: repairWords(rest), flags: [...repaired, ...(rest ? quarantine : [])] }]),
    ...(unusual.length === 0 || !allow("quarantine") ? [] : [{ words: quarantineWords(unusual), flags: quarantine }]),
  ];
  const without: OptionName[] = ["missing-level", "invalid-rows", "non-finite", "timestamps"];
  const missing = refused.flatMap(({ missing_levels: levels }) => (levels === null ? [] : [levels]));
  if (missing.length > 0) {
    const commands = levelChoices(missing).map((choice) =>
      repeat("up", ["--missing-level", choice, ...(ways[0]?.flags ?? [])], without),
    );
    const words =
      commands.length === 1
        ? "To continue, replacing 1 with the level of your choice"
        : "To continue with one of these, replacing 1 with the level of your choice";
    return [step(words, ...commands)];
  }
  return ways.map(({ words, flags: chosen }) =>
    step(
      words,
      repeat(
        "up",
        chosen,
        without.slice(1).filter((name) => chosen.includes(`--${name}`)),
      ),
    ),
  );
}

/** True for rows that need this decision: others of the same run do not prevent it. */
const isAbout =
  (way: Decision) =>
  ({ blocks, decision }: DatabaseReport["unusual_rows"][number]): boolean =>
    blocks && (way === "quarantine" || decision !== null);

/** One possible decision about invalid rows. */
interface Way {
  words: string;
  flags: readonly string[];
}

const REPAIRS = [
  { decision: "nonFinite", flag: ["--non-finite", "null"] },
  { decision: "timestamps", flag: ["--timestamps", "utc"] },
] as const;

function repairWords(hasOthers: boolean): string {
  return hasOthers
    ? "To repair these patterns, move the other invalid rows to quarantine, and continue"
    : "To repair these patterns and continue";
}

function quarantineWords(unusual: DatabaseReport["unusual_rows"]): string {
  const patterns = unusual.filter(({ kind }) => kind.startsWith("pattern_")).length;
  if (patterns === 0) return "To move the invalid rows to quarantine and continue";
  return patterns === unusual.length
    ? "To move the invalid patterns to quarantine and continue"
    : "To move the invalid rows and patterns to quarantine and continue";
}

/** The values of `--missing-level` that resolve the refusal. */
function levelChoices(missing: readonly MissingLevels[]): string[] {
  const tables = new Map<string, number>();
  for (const { tables: found } of missing)
    for (const { table, rows } of found) tables.set(table, (tables.get(table) ?? 0) + rows);
  const all = missing.reduce((sum, { rows }) => sum + rows, 0);
  const otherwise = (rows: number): string => (rows < all ? ",1" : "");
  const fromTables = [...tables].map(([table, rows]) => `${optionValue(table)}${otherwise(rows)}`);
  // A file has the levels of one database; the first has the most.
  const [only] = missing;
  const fromFiles =
    only === undefined || missing.length > 1
      ? []
      : only.files.slice(0, 1).map(({ path, rows }) => `${fileOptionValue(path)}${otherwise(rows)}`);
  return [...fromFiles, ...fromTables, ...fromStates(missing)];
}

function fromStates(missing: readonly MissingLevels[]): string[] {
  const someInStates = missing.some(({ users_with_state: users }) => (users ?? 0) > 0);
  const allInStates = missing.every(({ users, users_with_state: known }) => known === users);
  if (allInStates) return ["from-state", "1"];
  return someInStates ? ["from-state,1", "1"] : ["1"];
}

const AFTER: Record<
  MigrationReport["command"],
  (report: MigrationReport, repeat: Repeater, given: Arguments) => NextStep[]
> = {
  plan: (report, repeat) =>
    occurs(report, "planned")
      ? [
          step("To run this plan", repeat("up")),
          step("To rehearse it on private copies first", repeat("up", ["--rehearse"])),
        ]
      : [],
  up: (report, repeat) => {
    if (report.rehearsal) return occurs(report, "rehearsed") ? [step("To migrate the data", repeat("up"))] : [];
    if (!occurs(report, "migrated") && !occurs(report, "archived")) return [];
    return [
      step("To verify the result at any time", repeat("verify")),
      step("To downgrade", repeat("down")),
      ...(occurs(report, "archived")
        ? [step("To remove the archived directories when they are no longer needed", repeat("prune"))]
        : []),
    ];
  },
  verify: () => [],
  status: ({ databases, state_directories: directories }, repeat) => {
    const waiting = databases.filter(({ status }) => status === "planned");
    if (waiting.length + directories.filter(({ status }) => status === "planned").length === 0) return [];
    const indexesOnly = waiting.length > 0 && waiting.every(isMigrated);
    return [
      step(
        indexesOnly ? "To complete the remaining steps" : "To see what would be done",
        repeat(indexesOnly ? "up" : "plan"),
      ),
    ];
  },
  down: (report, repeat) => {
    if (report.dry_run) return occurs(report, "planned") ? [step("To downgrade", repeat("down"))] : [];
    return occurs(report, "downgraded") ? [step("To migrate again", repeat("up"))] : [];
  },
  prune: (report, repeat) =>
    report.dry_run && occurs(report, "planned") ? [step("To remove them", repeat("prune"))] : [],
};

function isMigrated({ history }: DatabaseReport): boolean {
  return history.length > 0;
}

function occurs({ databases, state_directories: directories }: MigrationReport, wanted: ItemStatus): boolean {
  return occursIn([...databases, ...directories], wanted);
}

function occursIn(items: readonly { status: ItemStatus }[], wanted: ItemStatus): boolean {
  return items.some(({ status }) => status === wanted);
}
