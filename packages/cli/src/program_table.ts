import type { ExitCode } from "./exit_codes.ts";
import { type CommandOption, type Given, type OptionTable, optionText } from "./option_table.ts";

/** A word that follows a command. */
export interface Word {
  /** As the help writes it, in capitals. */
  name: string;
  /** Says in a noun phrase what it is, with an example where that helps. */
  meaning: string;
  optional?: boolean;
  /** Only of the last word. */
  repeatable?: boolean;
  /** Arguments of the library that it gives. */
  arguments?: readonly string[];
  /** Environment variable that gives this word where it is left out; of the first word and of the last. */
  env?: string;
  /** A word that stands for the value of an environment variable, where that is set. */
  placeholder?: { word: string; env: string };
  /** Form of a value from the environment, where that is not free; `expected` says it in words. */
  pattern?: RegExp;
  expected?: string;
  /** Tells with `env` whether the first word given is this one; by default that is a matter of their number. */
  isIt?: (word: string) => boolean;
}

/** One command. */
export interface CommandRow {
  /** One line, a verb first, without a full stop. */
  summary: string;
  words: readonly Word[];
  /** Paragraphs below the summary in the command's help; the help wraps them. */
  details?: string;
  /** At least one command line that works. */
  examples: readonly string[];
}

/**
 * All that is said of a program in one place: its arguments, their checks, the help, completions and the tables in its
 * README are made of it.
 */
export interface ProgramTable<Command extends string, Option extends string> {
  /** For example `perdura-backup`. */
  name: string;
  /** One line, a verb first, without a full stop. */
  summary: string;
  /** Paragraphs below the summary in the help of the program. */
  details?: string;
  examples: readonly string[];
  commands: Readonly<Record<Command, CommandRow>>;
  /** Every option but {@link COMMON_OPTIONS}. */
  options: OptionTable<Command, Option>;
  /** Names that other programs have for the commands, for suggestions. */
  synonyms: Readonly<Record<string, Command>>;
  /** Says for a word in the place of the command, such as the name of a file, what to write instead. */
  insteadOfCommand?: (word: string) => string | undefined;
  /** Further environment variables, with what they are. */
  environment?: Readonly<Record<string, string>>;
  /** Meanings of exit codes in words of the program; null for a code that never comes. */
  exits?: Partial<Record<ExitCode, string | null>>;
  /** Checks of options that go together, or of words; throws UsageError. */
  check?(given: Invocation<Command, Option>): void;
  secrets: {
    /** True for a word that no message may repeat. */
    mayHoldSecret: (word: string) => boolean;
    /** Takes secrets out of a message. */
    withoutSecrets: (text: string) => string;
  };
}

/** What is said of an option of every command. */
type OptionText = Omit<CommandOption<string>, "commands" | "instead">;

export type CommonOption = "json" | "quiet" | "no-color" | "help";

/** A command with its words and options, checked. */
export interface Invocation<Command extends string, Option extends string> {
  command: Command;
  words: string[];
  /** In the order in which they were given. */
  given: Given<Option | CommonOption>[];
}

/** Options of every command of every program. */
export const COMMON_OPTIONS: Readonly<Record<CommonOption, OptionText>> = {
  json: { help: "print the result as JSON on stdout, and progress as a JSON object per line on stderr" },
  quiet: { short: "q", help: "print no progress, and only the summary (with --json the whole result)" },
  "no-color": { help: "print no colours (also NO_COLOR=1; FORCE_COLOR=1 prints them where there is no terminal)" },
  help: { short: "h", help: "print this help" },
};

/** Shells for which a program prints a completion script. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** Names of the commands, in the order of the table. */
export function commandsOf<Command extends string>({ commands }: ProgramTable<Command, string>): Command[] {
  return Object.keys(commands) as Command[];
}

/** Options of the program with those of every program, in the order of the help. */
export function optionsOf<Command extends string, Option extends string>(
  table: ProgramTable<Command, Option>,
): OptionTable<Command, Option | CommonOption> {
  const commands = commandsOf(table);
  const common = Object.entries(COMMON_OPTIONS).map(([name, row]) => [name, { ...row, commands }]);
  return { ...table.options, ...(Object.fromEntries(common) as OptionTable<Command, CommonOption>) };
}

/** Names of the options that a command takes, without removed ones. */
export function optionNamesOf<Command extends string, Option extends string>(
  table: ProgramTable<Command, Option>,
  command: Command,
): (Option | CommonOption)[] {
  const options = optionsOf(table);
  return (Object.keys(options) as (Option | CommonOption)[]).filter(
    (name) => options[name].removed === undefined && options[name].commands.includes(command),
  );
}

/** `ADDRESS NAME --to PATH`: what a command needs and takes behind its name, but for options that may be absent. */
export function usageOf<Command extends string>(table: ProgramTable<Command, string>, command: Command): string {
  const options = optionsOf(table);
  const required = optionNamesOf(table, command).filter((name) => options[name]?.required === true);
  const shown = required.map((name) => optionText(name, options[name] as CommandOption<Command>));
  return [wordsText(table.commands[command]), ...shown].join(" ").trim();
}

/** `ADDRESS [NAME]`, as the help and messages write the words of a command. */
export function wordsText({ words }: CommandRow): string {
  return words
    .map(({ name, optional, repeatable }) => {
      const shown = `${name}${repeatable === true ? "..." : ""}`;
      return optional === true ? `[${shown}]` : shown;
    })
    .join(" ");
}
