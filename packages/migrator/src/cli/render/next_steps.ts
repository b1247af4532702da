import { EXIT } from "@perdura/cli/exit_codes.js";
import { has } from "@perdura/cli/option_table.js";
import { ALL_DECISIONS } from "@perdura/internals/validity/decide_patterns.js";
import type {
  DatabaseReport,
  Decision,
  ItemStatus,
  MigrationReport,
  MissingLevels,
  PatternChoice,
} from "../../core/report.ts";
import { sortedChoices } from "../../database/patterns/decisions_report.ts";
import { commandLine } from "../../core/shell_words.ts";
import { fileOptionValue, optionValue } from "../../database/levels/other_tables.ts";
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
  const allow = (way: Decision): boolean =>
    refused.every(({ unusual_rows: rows, decisions: found }) => !rows.some(isAbout(way)) || found.includes(way));
  const ways = (unusual.length === 0 ? [] : waysFor(refused, unusual)).filter(({ flags: chosen }) =>
    allow(chosen.some((flag) => flag.startsWith("--") && flag !== "--invalid-rows") ? "repair" : "quarantine"),
  );
  const isBroken = refused.some(({ decisions: found }) => found.includes("broken-references"));
  const references = isBroken ? ["--broken-references", "repair"] : [];
  const replaced: OptionName[] = [...DECIDING, ...(isBroken ? (["broken-references"] as const) : [])];
  const missing = refused.flatMap(({ missing_levels: levels }) => (levels === null ? [] : [levels]));
  if (missing.length > 0) {
    const commands = levelChoices(missing).map((choice) =>
      repeat(
        "up",
        ["--missing-level", choice, ...(ways[0]?.flags ?? []), ...references],
        ["missing-level", ...replaced],
      ),
    );
    const words =
      commands.length === 1
        ? "To continue, replacing 1 with the level of your choice"
        : "To continue with one of these, replacing 1 with the level of your choice";
    return [step(words, ...commands)];
  }
  if (isBroken && unusual.length === 0)
    return [step("To repair the references and continue", repeat("up", references, replaced))];
  return ways.map(({ words, flags: chosen }) => step(words, repeat("up", [...chosen, ...references], replaced)));
}

/** True for rows that need this decision: others of the same run do not prevent it. */
const isAbout =
  (way: Decision) =>
  ({ blocks, decision }: DatabaseReport["unusual_rows"][number]): boolean =>
    blocks && (way === "quarantine" || decision !== null);

/** Options that decide about invalid rows and patterns. A recommended command has all of them that it needs. */
const DECIDING: OptionName[] = ["invalid-rows", "non-finite", "timestamps", "pattern-ids"];

/** One possible decision about invalid rows. */
interface Way {
  words: string;
  flags: readonly string[];
}

/**
 * The decisions that keep the most patterns, and those that only quarantine. None if a database needs decisions that no
 * combination makes.
 */
function waysFor(refused: readonly DatabaseReport[], unusual: DatabaseReport["unusual_rows"]): Way[] {
  const rows = unusual.some(({ kind }) => !isOfPatterns(kind));
  const choices = jointChoices(refused.flatMap(({ pattern_choices: each }) => (each.length === 0 ? [] : [each])));
  const usable = choices.filter((choice) => !rows || choice.invalid_rows === "quarantine");
  const [best] = usable;
  const quarantine = ["--invalid-rows", "quarantine"];
  if (choices.length === 0) return rows ? [{ words: quarantineWords(unusual), flags: quarantine }] : [];
  if (best === undefined) return [];
  const repairs = repairFlags(best);
  const flagged = best.invalid_rows === "quarantine" ? [...repairs, ...quarantine] : repairs;
  const first =
    repairs.length === 0
      ? { words: quarantineWords(unusual), flags: flagged }
      : { words: repairWords(flagged.length > repairs.length), flags: flagged };
  const only = usable.find((choice) => repairFlags(choice).length === 0 && choice.invalid_rows === "quarantine");
  return repairs.length === 0 || only === undefined
    ? [first]
    : [first, { words: quarantineWords(unusual), flags: quarantine }];
}

function repairFlags({ non_finite: tokens, timestamps, pattern_ids: ids }: PatternChoice): string[] {
  return [
    ...(tokens === null ? [] : ["--non-finite", tokens]),
    ...(timestamps === null ? [] : ["--timestamps", timestamps]),
    ...(ids === null ? [] : ["--pattern-ids", ids]),
  ];
}

/**
 * The choices for several databases at once, best first. A database for which an option has no meaning lists its
 * choices without it.
 */
function jointChoices(all: readonly (readonly PatternChoice[])[]): PatternChoice[] {
  const joint = ALL_DECISIONS.flatMap(({ nonFinite, timestamps, patternIds }) =>
    (["abort", "quarantine"] as const).flatMap((invalidRows): PatternChoice[] => {
      const wanted = { non_finite: nonFinite, timestamps, pattern_ids: patternIds, invalid_rows: invalidRows };
      const found = all.map((choices) => choiceFor(choices, wanted));
      if (all.length === 0 || found.some((choice) => choice === undefined)) return [];
      const sum = (key: "quarantined" | "removed" | "changed"): number =>
        found.reduce((total, choice) => total + (choice?.[key] ?? 0), 0);
      const needed = (key: keyof typeof wanted): boolean => found.some((choice) => choice?.[key] === wanted[key]);
      const isNeeded = (["non_finite", "timestamps", "pattern_ids"] as const).every(
        (key) => wanted[key] === null || needed(key),
      );
      const quarantines = found.some((choice) => choice?.invalid_rows === "quarantine");
      if (!isNeeded) return [];
      return [
        {
          ...wanted,
          invalid_rows: quarantines ? invalidRows : "abort",
          quarantined: sum("quarantined"),
          removed: sum("removed"),
          changed: sum("changed"),
        },
      ];
    }),
  );
  return sortedChoices(joint);
}

/** The choice that these decisions amount to; undefined if they do not suffice. */
function choiceFor(
  choices: readonly PatternChoice[],
  wanted: Omit<PatternChoice, "quarantined" | "removed" | "changed">,
): PatternChoice | undefined {
  const keys = ["non_finite", "timestamps", "pattern_ids"] as const;
  const fitting = choices.filter(
    (choice) =>
      keys.every((key) => choice[key] === null || choice[key] === wanted[key]) &&
      (choice.invalid_rows === "abort" || wanted.invalid_rows === "quarantine"),
  );
  const decided = (choice: PatternChoice): number => keys.filter((key) => choice[key] !== null).length;
  return fitting.toSorted((one, other) => decided(other) - decided(one))[0];
}

const isOfPatterns = (kind: string): boolean => kind.startsWith("pattern_") || kind.startsWith("library_");

function repairWords(hasOthers: boolean): string {
  return hasOthers
    ? "To repair these patterns, move the other invalid rows to quarantine, and continue"
    : "To repair these patterns and continue";
}

function quarantineWords(unusual: DatabaseReport["unusual_rows"]): string {
  const patterns = unusual.filter(({ kind }) => isOfPatterns(kind)).length;
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
