import type { ExitCode } from "./exit_codes.ts";
import { type CommandOption, type Given, type OptionTable, optionText } from "./option_table.ts";

/** An argument of a command. */
export interface ArgumentRow {
  /** Name in the help, in capitals. */
  name: string;
  /** Noun phrase that describes it, with an example if that helps. */
  meaning: string;
  optional?: boolean;
  /** Only for the last argument. */
  repeatable?: boolean;
  /** True for an id or another name; an argument is a path or an address otherwise. */
  namesNoFile?: boolean;
  /** Arguments of the library that it sets. */
  arguments?: readonly string[];
  /** Environment variable with its value, used if it is left out; only for the first and the last argument. */
  env?: string;
  /** A word that is replaced by the value of an environment variable, if that is set. */
  placeholder?: { word: string; env: string };
  /** Form of a value from the environment, if it is restricted; `expected` describes it. */
  pattern?: RegExp;
  expected?: string;
  /** With `env`: true if the first given word is this argument. By default the number of words decides. */
  isIt?: (word: string) => boolean;
}

/** One command. */
export interface CommandRow {
  /** One line, a verb first, without a full stop. */
  summary: string;
  words: readonly ArgumentRow[];
  /** Paragraphs below the summary in the command's help; the help wraps them. */
  details?: string;
  /** At least one working command line. */
  examples: readonly string[];
}

/**
 * The description of a program: its arguments, their checks, the help, completions and the tables of its README are
 * derived from it.
 */
export interface ProgramTable<Command extends string, Option extends string> {
  /** For example `perdura-backup`. */
  name: string;
  /** One line, a verb first, without a full stop. */
  summary: string;
  /** Paragraphs below the summary in the help of the program. */
  details?: string;
  examples: readonly string[];
  /** By name: one word, or two for a command of a group, such as `patterns list`. */
  commands: Readonly<Record<Command, CommandRow>>;
  /** The command for words that begin with no name of a command. Its own name is not shown. */
  defaultCommand?: Command;
  /** Every option except {@link COMMON_OPTIONS}. */
  options: OptionTable<Command, Option>;
  /** The common options that the program has; all by default. */
  commonOptions?: readonly CommonOption[];
  /** Names of the commands in other programs, for suggestions. */
  synonyms: Readonly<Record<string, Command>>;
  /** Advice for a word in the place of the command, such as the name of a file. */
  insteadOfCommand?: (word: string) => string | undefined;
  /** Further environment variables, with their meanings. */
  environment?: Readonly<Record<string, string>>;
  /** The program's own meanings of exit codes; null for a code that it never uses. */
  exits?: Partial<Record<ExitCode, string | null>>;
  /** Checks combinations of options, and arguments; throws UsageError. */
  check?(given: Invocation<Command, Option>): void;
  secrets: {
    /** True for a word that no message may show. */
    mayHoldSecret: (word: string) => boolean;
    /** Removes secrets from a message. */
    redactSecrets: (text: string) => string;
  };
}

/** Description of an option that every command has. */
type OptionText = Omit<CommandOption<string>, "commands" | "instead">;

export type CommonOption = "json" | "quiet" | "no-color" | "help";

/** A command with its checked arguments and options. */
export interface Invocation<Command extends string, Option extends string> {
  command: Command;
  words: string[];
  /** In the given order. */
  given: Given<Option | CommonOption>[];
}

/** Options of every command of every program. */
export const COMMON_OPTIONS: Readonly<Record<CommonOption, OptionText>> = {
  json: { help: "print the result as JSON on stdout, and progress as a JSON object per line on stderr" },
  quiet: { short: "q", help: "print no progress, and only the summary (with --json the whole result)" },
  "no-color": { help: "print no colours (also NO_COLOR=1; FORCE_COLOR=1 prints colours without a terminal)" },
  help: { short: "h", help: "print this help" },
};

/** Shells for which a program prints a completion script. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** Names of the commands, in the order of the table. */
export function commandsOf<Command extends string>({ commands }: ProgramTable<Command, string>): Command[] {
  return Object.keys(commands) as Command[];
}

/** First words of the names of commands, without that of the default command. */
export function firstWordsOf(table: ProgramTable<string, string>): string[] {
  return [...new Set(shownCommandsOf(table).map((name) => name.split(" ")[0] as string))];
}

/** Second words of the commands of a group; empty for any other word. */
export function secondWordsOf(table: ProgramTable<string, string>, first: string): string[] {
  return commandsOf(table).flatMap((name) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
}

/** Names of the commands that a user writes. */
export function shownCommandsOf<Command extends string>(table: ProgramTable<Command, string>): Command[] {
  return commandsOf(table).filter((name) => name !== table.defaultCommand);
}

/** Name of a command with its arguments as a user writes it: the default command has no name. */
export function writtenCommand(table: ProgramTable<string, string>, command: string): string {
  return command === table.defaultCommand ? "" : command;
}

/** Options of the program and the common ones, in the order of the help. */
export function optionsOf<Command extends string, Option extends string>(
  table: ProgramTable<Command, Option>,
): OptionTable<Command, Option | CommonOption> {
  const commands = commandsOf(table);
  const { commonOptions = Object.keys(COMMON_OPTIONS) as CommonOption[] } = table;
  const common = commonOptions.map((name) => [name, { ...COMMON_OPTIONS[name], commands }]);
  return { ...table.options, ...(Object.fromEntries(common) as OptionTable<Command, CommonOption>) };
}

/** Names of the options that a command accepts. */
export function optionNamesOf<Command extends string, Option extends string>(
  table: ProgramTable<Command, Option>,
  command: Command,
): (Option | CommonOption)[] {
  const options = optionsOf(table);
  return (Object.keys(options) as (Option | CommonOption)[]).filter((name) => options[name].commands.includes(command));
}

/** `ADDRESS NAME --to PATH`: the arguments and required options of a command. */
export function usageOf<Command extends string>(table: ProgramTable<Command, string>, command: Command): string {
  const options = optionsOf(table);
  const required = optionNamesOf(table, command).filter((name) => options[name]?.required === true);
  const shown = required.map((name) => optionText(name, options[name] as CommandOption<Command>));
  return [argumentsText(table.commands[command]), ...shown].join(" ").trim();
}

/** `ADDRESS [NAME]`: the arguments of a command as in the help and in messages. */
export function argumentsText({ words }: CommandRow): string {
  return words
    .map(({ name, optional, repeatable }) => {
      const shown = `${name}${repeatable === true ? "..." : ""}`;
      return optional === true ? `[${shown}]` : shown;
    })
    .join(" ");
}
