import { Argument, Command as Parser, Help, Option } from "commander";
import { displayWidth } from "./display_width.ts";
import { exitCodeRows } from "./exit_codes.ts";
import { type CommandOption, optionText } from "./option_table.ts";
import {
  type CommandRow,
  commandsOf,
  COMMON_OPTIONS,
  optionNamesOf,
  optionsOf,
  type ProgramTable,
  SHELLS,
  shownCommandsOf,
  usageOf,
} from "./program_table.ts";
import { flagsOf } from "./parse_arguments.ts";

/** Maximum width of the help, in columns. */
const WIDEST = 80;

/** Help of a command, or of the program; only a single word or a command to copy may be wider than 80 columns. */
export function helpText<Command extends string>(
  table: ProgramTable<Command, string>,
  command: Command | undefined,
  columns: number,
): string {
  const parser = command === undefined ? programParser(table) : commandParser(table, command);
  const help = new KitHelp(Math.min(columns, WIDEST));
  const examples = command === undefined ? table.examples : table.commands[command].examples;
  return [help.formatHelp(parser, help).trimEnd(), help.examples(examples), ...help.notes(table, command)].join("\n\n");
}

function programParser(table: ProgramTable<string, string>): Parser {
  const parser = new Parser(table.name)
    .usage(usageOfProgram(table))
    .description(paragraphs(`${table.summary}.`, table.details))
    .helpCommand(false)
    .helpOption(false);
  for (const name of shownCommandsOf(table))
    parser.addCommand(bare(name, (table.commands[name] as CommandRow).summary));
  parser.addCommand(bare("help", "Print the help of a command"));
  parser.addCommand(bare("completion", `Print a completion script for ${SHELLS.join(", ")}`));
  const options = optionsOf(table);
  const own = table.defaultCommand === undefined ? [] : optionNamesOf(table, table.defaultCommand);
  for (const name of own.length === 0 ? Object.keys(COMMON_OPTIONS) : own)
    parser.addOption(described(name, options[name] as CommandOption<string>));
  return parser.addOption(new Option("-V, --version", "print the version"));
}

/** `COMMAND [OPTIONS]`, or the arguments of the default command before it. */
function usageOfProgram(table: ProgramTable<string, string>): string {
  const { defaultCommand } = table;
  return defaultCommand === undefined
    ? "COMMAND [OPTIONS]"
    : `[OPTIONS] ${usageOf(table, defaultCommand)} | COMMAND [OPTIONS]`;
}

function bare(name: string, summary: string): Parser {
  return new Parser(name).description(summary).helpOption(false);
}

function commandParser<Command extends string>(table: ProgramTable<Command, string>, command: Command): Parser {
  const row = table.commands[command];
  const parser = new Parser(`${table.name} ${command}`)
    .usage(`[OPTIONS] ${usageOf(table, command)}`.trimEnd())
    .description(paragraphs(`${row.summary}.`, row.details))
    .helpOption(false);
  for (const { name, meaning, env } of row.words)
    parser.addArgument(new Argument(`[${name}]`, env === undefined ? meaning : `${meaning} [env: ${env}]`));
  const options = optionsOf(table);
  for (const name of optionNamesOf(table, command))
    parser.addOption(described(name, options[name] as CommandOption<string>));
  return parser;
}

function paragraphs(summary: string, details: string | undefined): string {
  return details === undefined ? summary : `${summary}\n\n${details}`;
}

/** Converts an option to the form of the parser, which lays out the help. */
function described(name: string, row: Omit<CommandOption<string>, "commands">): Option {
  return new Option(flagsOf(name, row), optionDescription(row));
}

/** Description of an option, with its default and environment variable in brackets. */
export function optionDescription({ help, default: value, env }: Omit<CommandOption<string>, "commands">): string {
  return [help, ...(value === undefined ? [] : [`[${value}]`]), ...(env === undefined ? [] : [`[env: ${env}]`])].join(
    " ",
  );
}

/** Lays out help like commander, with values in capitals as in messages. */
class KitHelp extends Help {
  constructor(width: number) {
    super();
    this.helpWidth = width;
    this.minWidthToWrap = 20;
  }

  override displayWidth(text: string): number {
    return displayWidth(text);
  }

  override commandUsage(parser: Parser): string {
    return `${parser.name()} ${parser.usage()}`;
  }

  override subcommandTerm(parser: Parser): string {
    return parser.name();
  }

  override optionTerm({ short, long, flags }: Option): string {
    const [, value] = /\[(.+)\]$/.exec(flags) ?? [];
    const text = optionText((long ?? "").slice(2), value === undefined ? {} : { value });
    return short === undefined ? `    ${text}` : `${short}, ${text}`;
  }

  /** Commands to copy, each on one line. */
  examples(lines: readonly string[]): string {
    return ["Examples:", ...lines.map((line) => `  ${line}`)].join("\n");
  }

  /** Environment variables, exit codes, and further help. */
  notes<Command extends string>(table: ProgramTable<Command, string>, command: Command | undefined): string[] {
    const environment = Object.entries(command === undefined ? environmentOf(table) : {});
    const codes = exitCodeRows(table.exits).map(([code, meaning]): [string, string] => [String(code), meaning]);
    const more = `"${table.name} help COMMAND" explains a command.`;
    return [
      ...(environment.length === 0 ? [] : [this.#list("Environment variables:", environment)]),
      this.#list("Exit codes:", codes),
      ...(command === undefined ? [more] : []),
    ];
  }

  #list(title: string, rows: readonly [string, string][]): string {
    const width = Math.max(...rows.map(([term]) => term.length));
    return [title, ...rows.map(([term, text]) => this.formatItem(term, width, text, this))].join("\n");
  }
}

/** All environment variables that a program reads, with their meanings. */
export function environmentOf(table: ProgramTable<string, string>): Record<string, string> {
  const rows: CommandRow[] = commandsOf(table).map((name) => table.commands[name] as CommandRow);
  const words = rows.flatMap((row) =>
    row.words.flatMap(({ env, meaning }) => (env === undefined ? [] : [[env, meaning]])),
  );
  const options = Object.entries(table.options).flatMap(([name, { env }]) =>
    env === undefined ? [] : [[env, `value of --${name} if the option is absent`]],
  );
  return { ...Object.fromEntries([...words, ...options]), ...table.environment };
}
