import { existsSync, lstatSync } from "node:fs";
import { parseArgs, type ParseArgsOptionDescriptor } from "node:util";
import { assertApplicable, assertGivenOnce } from "./check_options.ts";
import { suggestion } from "./suggestion.ts";
import { type CommandOption, type Given, has, type OptionTable, optionText } from "./option_table.ts";
import {
  type CommonOption,
  firstWordsOf,
  type Invocation,
  optionNamesOf,
  optionsOf,
  type ProgramTable,
  secondWordsOf,
  type Shell,
  SHELLS,
  type ArgumentRow,
  argumentsText,
  writtenCommand,
} from "./program_table.ts";
import { UsageError } from "./usage_error.ts";

/** Request of a command line. */
export type Request<Command extends string, Name extends string> =
  | { kind: "help"; command: Command | undefined }
  | { kind: "completion"; shell: Shell }
  | ({ kind: "run" } & Invocation<Command, Name>);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses the command line of a program by its table. An environment variable is used if its option or argument is
 * absent.
 *
 * @throws UsageError for unknown, missing, superfluous or malformed words; it shows nothing that may be secret.
 */
export function parseArguments<Command extends string, Name extends string>(
  table: ProgramTable<Command, Name>,
  all: readonly string[],
  environment: Environment = process.env,
): Request<Command, Name> {
  if (all.length === 0 || asksForHelp(all)) return { kind: "help", command: namedCommand(table, all) };
  const options = optionsOf(table);
  const { words, tokens, unknown } = split(all, options);
  if (words[0] === "completion") return { kind: "completion", shell: shellFrom(words.slice(1)) };
  const { command, rest } = commandFrom(table, words);
  const taken = optionNamesOf(table, command);
  const given = tokens.map((token) => parseOption(token, table, command, options));
  if (unknown !== undefined) throw unknownOption(unknown, options, taken);
  assertGivenOnce(given, options);
  addFromEnvironment(given, taken, options, environment, table);
  const invocation = { command, words: checkedArguments(table, command, rest, environment), given };
  assertRequired(command, given, taken, options);
  assertPassed(invocation, table, options);
  table.check?.(invocation);
  return { kind: "run", ...invocation };
}

/** True for the name of a command; names of members that every object has are not commands. */
function isCommand<Command extends string>(table: ProgramTable<Command, string>, word: string): word is Command {
  return Object.hasOwn(table.commands, word);
}

/** The first command that is named by one or two words. */
export function namedCommand<Command extends string>(
  table: ProgramTable<Command, string>,
  all: readonly string[],
): Command | undefined {
  for (const [index, word] of all.entries()) {
    const name = [`${word} ${all[index + 1]}`, word].find((each) => isCommand(table, each));
    if (name !== undefined && name !== table.defaultCommand) return name as Command;
  }
  return undefined;
}

/** True if help is requested, which takes precedence over all errors. */
function asksForHelp(all: readonly string[]): boolean {
  const end = all.indexOf("--");
  const before = end < 0 ? all : all.slice(0, end);
  return all[0] === "help" || before.includes("--help") || before.includes("-h");
}

/** An option of the command line; its value is undefined if it is missing. */
interface Token<Name extends string> {
  name: Name;
  value: string | undefined;
}

/** A word that is not the value of the option before it: another option, but not a negative number. */
const OPTION = /^-(?!\d*\.?\d+(?:e[+-]?\d+)?$)./i;

/** Separates options from other words. An option never takes the next option as its value. */
function split<Name extends string>(
  all: readonly string[],
  options: OptionTable<string, Name>,
): { words: string[]; tokens: Token<Name>[]; unknown: string | undefined } {
  const rows = Object.entries(options) as [Name, CommandOption<string>][];
  const known = Object.fromEntries(
    rows.map(([name, { short, value }]): [string, ParseArgsOptionDescriptor] => [
      name,
      { type: value === undefined ? "boolean" : "string", ...(short !== undefined && { short }) },
    ]),
  );
  const words: string[] = [];
  const found: Token<Name>[] = [];
  let unknown: string | undefined;
  let rest = all;
  for (;;) {
    const { tokens } = parseArgs({ args: rest, options: known, strict: false, allowPositionals: true, tokens: true });
    let next: number | undefined;
    for (const token of tokens) {
      if (token.kind === "positional") words.push(token.value);
      if (token.kind !== "option") continue;
      const name = token.name as Name;
      const row = Object.hasOwn(options, name) ? options[name] : undefined;
      if (row === undefined || (row.value === undefined && token.value !== undefined)) {
        unknown ??= token.rawName;
        continue;
      }
      const isMissing = token.inlineValue === false && OPTION.test(token.value);
      found.push({ name, value: isMissing ? undefined : token.value });
      if (isMissing) {
        next = token.index + 1;
        break;
      }
    }
    if (next === undefined) return { words, tokens: found, unknown };
    rest = rest.slice(next);
  }
}

function parseOption<Command extends string, Name extends string>(
  { name, value }: Token<Name | CommonOption>,
  table: ProgramTable<Command, Name>,
  command: Command,
  options: OptionTable<Command, Name | CommonOption>,
): Given<Name | CommonOption> {
  const row = options[name];
  const instead = { [name]: row.instead } as Parameters<typeof assertApplicable<Command, Name | CommonOption>>[3];
  assertApplicable(name, command, options, instead, (each) => writtenCommand(table, each) || table.name);
  if (row.value === undefined) return { name, value: undefined };
  if (value === undefined || value === "") throw new UsageError(`--${name} needs a value: ${expectedOf(row)}.`);
  checkValue(`--${name}`, value, row, table);
  return { name, value };
}

/** @throws UsageError for a value of the wrong form. */
function checkValue(
  place: string,
  value: string,
  row: CommandOption<string>,
  { secrets }: ProgramTable<string, string>,
): void {
  const fits = row.choices?.includes(value) ?? row.pattern?.test(value) ?? true;
  if (fits) return;
  const known = row.choices ?? row.expected?.match(/[\w-]{3,}/g) ?? [];
  if (isHidden(value, secrets))
    throw new UsageError(
      `${place}: expected ${expectedOf(row)}; the value is not shown, because it may hold a secret.`,
    );
  throw new UsageError(
    `${place}: expected ${expectedOf(row)}, got ${JSON.stringify(value)}.${suggestion(value, known)}`,
  );
}

/** True for a word that messages do not show: an address, or another word that may contain a secret. */
function isHidden(word: string, { mayHoldSecret }: ProgramTable<string, string>["secrets"]): boolean {
  return word.includes("://") || mayHoldSecret(word);
}

function expectedOf({ choices, expected, value = "" }: CommandOption<string>): string {
  if (expected !== undefined) return expected;
  return choices === undefined ? value : oneOf(choices);
}

/** `a, b or c` */
function oneOf(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** The error for a word that looks like an option. The text after its name may be a secret. */
function unknownOption(word: string, options: OptionTable<string, string>, taken: readonly string[]): UsageError {
  const [, long, short = ""] = /^(?:--([^=]*)|(-.))/su.exec(word) as unknown as [string, string | undefined, string?];
  if (long === undefined) return new UsageError(`Unknown option ${short}.`);
  if (Object.hasOwn(options, long) && (options[long] as CommandOption<string>).value === undefined)
    return new UsageError(`--${long} takes no value.`);
  return new UsageError(`Unknown option --${long}.${suggestion(long, taken, "--")}`);
}

function addFromEnvironment<Command extends string, Name extends string>(
  given: Given<Name | CommonOption>[],
  taken: readonly (Name | CommonOption)[],
  options: OptionTable<Command, Name | CommonOption>,
  environment: Environment,
  table: ProgramTable<Command, Name>,
): void {
  for (const name of taken) {
    const { env } = options[name];
    const value = env === undefined ? "" : (environment[env] ?? "");
    if (value === "" || given.some((option) => option.name === name)) continue;
    checkValue(env as string, value, options[name], table);
    given.push({ name, value });
  }
}

function assertRequired<Name extends string>(
  command: string,
  given: readonly Given<Name>[],
  taken: readonly Name[],
  options: OptionTable<string, Name>,
): void {
  const missing = taken.find((name) => options[name].required === true && !has({ given }, name));
  if (missing === undefined) return;
  const row = options[missing];
  throw new UsageError(`${command} needs ${optionText(missing, row)}: ${expectedOf(row)}.`);
}

/**
 * Refuses paths in which Node.js has replaced bytes that are not UTF-8 with U+FFFD: a program cannot read such a file,
 * and would create one with another name.
 */
function assertPassed<Command extends string, Name extends string>(
  { command, words, given }: Invocation<Command, Name>,
  table: ProgramTable<Command, Name>,
  options: OptionTable<Command, Name | CommonOption>,
): void {
  const rows = table.commands[command].words;
  const paths = [
    ...words.filter((_word, index) => (rows[index] ?? rows.at(-1))?.namesNoFile !== true),
    ...given.flatMap(({ name, value }) => (value !== undefined && isPath(options[name]) ? [value] : [])),
  ];
  const path = paths.find((each) => each.includes("\ufffd") && !isFound(each));
  if (path === undefined) return;
  throw new UsageError(
    `${path}: no such file or directory. Its name has bytes that are not UTF-8, which Node.js replaces with U+FFFD, so this program cannot find or create it. Nothing was changed. Specify the directory that contains it, or rename it.`,
  );
}

function isPath({ choices, pattern, namesNoFile }: CommandOption<string>): boolean {
  return choices === undefined && pattern === undefined && namesNoFile !== true;
}

/** Addresses of servers name no file. A path that cannot be looked at is left to the command, which has the reason. */
function isFound(word: string): boolean {
  if (!word.includes("://")) {
    try {
      return lstatSync(word, { throwIfNoEntry: false }) !== undefined;
    } catch {
      return true;
    }
  }
  const url = URL.canParse(word) ? new URL(word) : undefined;
  return url?.protocol !== "file:" || url.host !== "" || existsSync(url);
}

/** Separates the name of the command, of one or two words, from its arguments. */
function commandFrom<Command extends string>(
  table: ProgramTable<Command, string>,
  words: readonly string[],
): { command: Command; rest: readonly string[] } {
  const [first, second] = words;
  const names = firstWordsOf(table);
  if (first === undefined) throw new UsageError(`Expected a command: ${names.join(", ")}.`);
  const pair = `${first} ${second}`;
  if (isCommand(table, pair)) return { command: pair, rest: words.slice(2) };
  if (isCommand(table, first) && first !== table.defaultCommand) return { command: first, rest: words.slice(1) };
  const within = secondWordsOf(table, first);
  if (within.length > 0) throw unknownOfGroup(table, first, second, within);
  if (table.defaultCommand !== undefined && !isMistyped(table, first, names))
    return { command: table.defaultCommand, rest: words };
  throw unknownCommand(table, first, names);
}

/** True for a word that is probably the name of a command, not a path. */
function isMistyped(table: ProgramTable<string, string>, word: string, names: readonly string[]): boolean {
  if (!/^[a-z]+$/i.test(word) || existsSync(word)) return false;
  return Object.hasOwn(table.synonyms, word) || suggestion(word, names) !== "";
}

function unknownOfGroup(
  table: ProgramTable<string, string>,
  first: string,
  second: string | undefined,
  within: readonly string[],
): UsageError {
  if (second === undefined || isHidden(second, table.secrets)) {
    const path = table.defaultCommand === undefined ? "" : ` For a path with this name, write ./${first}.`;
    return new UsageError(`${first} needs a command: ${oneOf(within)}.${path}`);
  }
  return new UsageError(
    `Unknown command ${JSON.stringify(`${first} ${second}`)}; expected ${oneOf(within)} after ${first}.${suggestion(second, within, `${first} `)}`,
  );
}

function unknownCommand(table: ProgramTable<string, string>, word: string, names: readonly string[]): UsageError {
  if (isHidden(word, table.secrets))
    return new UsageError(`Expected a command as the first word: ${names.join(", ")}.`);
  const synonym = word.toLowerCase();
  if (Object.hasOwn(table.synonyms, synonym))
    return new UsageError(`Unknown command ${JSON.stringify(word)}. Did you mean ${table.synonyms[synonym]}?`);
  const found = suggestion(word, [...names, "help", "completion"]);
  const instead = found === "" ? table.insteadOfCommand?.(word) : undefined;
  return new UsageError(instead ?? `Unknown command ${JSON.stringify(word)}.${found}`);
}

function shellFrom([word, ...rest]: readonly string[]): Shell {
  const shell = SHELLS.find((name) => name === word);
  if (shell === undefined || rest.length > 0) throw new UsageError(`completion takes one argument: ${oneOf(SHELLS)}.`);
  return shell;
}

/** Returns the arguments of a command, including those from the environment. */
function checkedArguments<Command extends string>(
  table: ProgramTable<Command, string>,
  command: Command,
  given: readonly string[],
  environment: Environment,
): string[] {
  const row = table.commands[command];
  const shownName = writtenCommand(table, command) || table.name;
  const words = withEnvironment(row.words, given, environment);
  const missing = row.words[words.length];
  if (missing !== undefined && missing.optional !== true) {
    const { name, meaning, env } = missing;
    const isUnset = env !== undefined && (environment[env] ?? "") === "";
    const or = isUnset ? ` Alternatively, set the environment variable ${env}.` : "";
    throw new UsageError(`${shownName} needs ${name}: ${meaning}.${or}`);
  }
  const surplus = words[row.words.length];
  if (surplus === undefined || row.words.at(-1)?.repeatable === true) return words;
  const shown = isHidden(surplus, table.secrets)
    ? "unexpected argument, not shown because it may hold a secret"
    : `unexpected argument: ${JSON.stringify(surplus)}`;
  const takes = row.words.length === 0 ? "no arguments" : argumentsText(row);
  throw new UsageError(`${shownName} takes ${takes}; ${shown}.`);
}

/** Fills in placeholders, and the first or the last argument if it was left out. */
function withEnvironment(rows: readonly ArgumentRow[], given: readonly string[], environment: Environment): string[] {
  const words = given.map((word, index) => {
    const row = rows[index] ?? rows.at(-1);
    return row?.placeholder?.word === word ? (argumentFrom(row.placeholder.env, row, environment) ?? word) : word;
  });
  const first = rows[0];
  const isThere = words[0] !== undefined && (first?.isIt?.(words[0]) ?? words.length >= rows.length);
  if (first?.env !== undefined && !isThere) {
    const value = argumentFrom(first.env, first, environment);
    return value === undefined ? words : [value, ...words];
  }
  const next = rows[words.length];
  // The words already contain an argument of this form, possibly from a placeholder.
  if (next?.env === undefined || words.some((word) => next.pattern?.test(word) === true)) return words;
  const value = argumentFrom(next.env, next, environment);
  return value === undefined ? words : [...words, value];
}

/** @throws UsageError for a value of the wrong form. */
function argumentFrom(env: string, { pattern, expected }: ArgumentRow, environment: Environment): string | undefined {
  const value = environment[env] ?? "";
  if (value === "") return undefined;
  if (pattern?.test(value) === false)
    throw new UsageError(`${env}: expected ${expected}; the value is not shown, because it may hold a secret.`);
  return value;
}
