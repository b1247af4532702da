import { EXIT } from "@perdura/cli/exit_codes.js";
import { has } from "@perdura/cli/option_table.js";
import type { DatabaseReport, ItemStatus, MigrationReport, MissingLevels } from "../../core/report.ts";
import { commandLine } from "../../core/shell_words.ts";
import { optionValue } from "../../database/inspect/other_tables.ts";
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
  const again = repeater(given);
  if (report.exit_code === EXIT.interrupted)
    return report.dry_run ? [] : [step("To finish what is left", again(report.command, kept(given)))];
  if (report.exit_code === EXIT.busy)
    return [step("Once the programs that use the data are stopped", again(report.command, kept(given)))];
  if (report.exit_code === EXIT.decision)
    return report.command === "plan" || report.command === "up" ? decisions(report, again) : [];
  return report.exit_code === EXIT.done ? AFTER[report.command](report, again, given) : [];
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

/** Commands with the options that make the pending decisions. */
function decisions(report: MigrationReport, again: Repeater): NextStep[] {
  const refused = report.databases.filter(({ status }) => status === "refused");
  const byFlag = flags(refused, again);
  const others = occurs(report, "planned") || occurs(report, "not_started");
  const undecidable =
    report.refused.length > 0 || occursIn(report.state_directories, "refused") || !refused.every(isDecidable);
  return undecidable && others
    ? [...byFlag, step("To go on with the others first, name each of them as a target instead")]
    : byFlag;
}

/** True if an option can make the decision. */
function isDecidable({ odd_rows: rows, missing_levels: missing }: DatabaseReport): boolean {
  return missing !== null || rows.some(({ blocks }) => blocks);
}

function flags(refused: readonly DatabaseReport[], again: Repeater): NextStep[] {
  const odd = refused.flatMap(({ odd_rows: rows }) => rows.filter(({ blocks }) => blocks));
  const repairs = REPAIRS.filter(({ decision }) => odd.some((rows) => rows.decision === decision));
  const repaired = repairs.flatMap(({ flag }) => flag);
  const rest = odd.some(({ decision }) => decision === null);
  const aside = ["--invalid-rows", "quarantine"];
  const ways: Way[] = [
    ...(repairs.length === 0
      ? []
      : [{ words: "these patterns repaired", flags: [...repaired, ...(rest ? aside : [])] }]),
    ...(odd.length === 0 ? [] : [{ words: asideWords(odd), flags: aside }]),
  ];
  const without: OptionName[] = ["missing-level", "invalid-rows", "non-finite", "timestamps"];
  const missing = refused.flatMap(({ missing_levels: levels }) => (levels === null ? [] : [levels]));
  if (missing.length > 0) {
    const commands = levelChoices(missing).map((choice) =>
      again("up", ["--missing-level", choice, ...(ways[0]?.flags ?? [])], without),
    );
    const words =
      commands.length === 1
        ? "the level that you choose instead of 1"
        : "one of these, with the level that you choose instead of 1";
    return [step(`To go on with ${words}`, ...commands)];
  }
  return ways.map(({ words, flags: chosen }) =>
    step(
      `To go on with ${words}`,
      again(
        "up",
        chosen,
        without.slice(1).filter((name) => chosen.includes(`--${name}`)),
      ),
    ),
  );
}

/** One possible decision about invalid rows. */
interface Way {
  words: string;
  flags: readonly string[];
}

const REPAIRS = [
  { decision: "nonFinite", flag: ["--non-finite", "null"] },
  { decision: "timestamps", flag: ["--timestamps", "utc"] },
] as const;

function asideWords(odd: DatabaseReport["odd_rows"]): string {
  const patterns = odd.filter(({ kind }) => kind.startsWith("pattern_")).length;
  if (patterns === 0) return "the rows that version 16 cannot hold set aside";
  return patterns === odd.length
    ? "the patterns that version 16 cannot read set aside"
    : "the rows that version 16 cannot hold or read set aside";
}

/** The values of `--missing-level` that resolve the refusal. */
function levelChoices(missing: readonly MissingLevels[]): string[] {
  const tables = new Map<string, number>();
  for (const { tables: found } of missing)
    for (const { table, rows } of found) tables.set(table, (tables.get(table) ?? 0) + rows);
  const all = missing.reduce((sum, { rows }) => sum + rows, 0);
  const fromTables = [...tables].map(([table, rows]) => `${optionValue(table)}${rows < all ? ",1" : ""}`);
  return [...fromTables, ...fromStates(missing)];
}

function fromStates(missing: readonly MissingLevels[]): string[] {
  const someInStates = missing.some(({ users_with_state: users }) => (users ?? 0) > 0);
  const allInStates = missing.every(({ users, users_with_state: known }) => known === users);
  if (allInStates) return ["from-state", "1"];
  return someInStates ? ["from-state,1", "1"] : ["1"];
}

const AFTER: Record<
  MigrationReport["command"],
  (report: MigrationReport, again: Repeater, given: Arguments) => NextStep[]
> = {
  plan: (report, again) =>
    occurs(report, "planned")
      ? [step("To do this", again("up")), step("To try it on private copies first", again("up", ["--rehearse"]))]
      : [],
  up: (report, again, given) => {
    if (report.rehearsal) return occurs(report, "rehearsed") ? [step("To do it on the data", again("up"))] : [];
    if (!occurs(report, "migrated") && !occurs(report, "archived")) return [];
    return [
      step("To compare again, at any time", again("verify")),
      step("To go back", again("down")),
      ...(occurs(report, "archived")
        ? [step("To remove the archived directories, when they are not needed any more", again("prune"))]
        : []),
      ...(has(given, "defer-indexes")
        ? [step("To build the indexes that were left out", again("up", [], ["defer-indexes"]))]
        : []),
    ];
  },
  verify: () => [],
  status: ({ databases, state_directories: directories }, again) => {
    const waiting = databases.filter(({ status }) => status === "planned");
    if (waiting.length + directories.filter(({ status }) => status === "planned").length === 0) return [];
    const indexesOnly = waiting.length > 0 && waiting.every(isMigrated);
    return [step(indexesOnly ? "To do what is left" : "To see what would be done", again(indexesOnly ? "up" : "plan"))];
  },
  down: (report, again) => {
    if (report.dry_run) return occurs(report, "planned") ? [step("To do this", again("down"))] : [];
    return occurs(report, "reverted") ? [step("To migrate again", again("up"))] : [];
  },
  prune: (report, again) => (report.dry_run && occurs(report, "planned") ? [step("To do this", again("prune"))] : []),
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
