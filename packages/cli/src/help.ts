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
import { filledLines } from "./wrap.ts";

/** Maximum width of the help, in columns. */
const WIDEST = 80;

/** Minimum number of columns that texts are wrapped to. */
const NARROWEST = 20;

/** A term and its description. */
type Item = readonly [term: string, text: string];

/** Help of a command, or of the program; only a single word or a command to copy may be wider than 80 columns. */
export function helpText<Command extends string>(
  table: ProgramTable<Command, string>,
  command: Command | undefined,
  columns: number,
): string {
  const width = Math.min(columns, WIDEST);
  const { usage, description, lists } = command === undefined ? helpOfProgram(table) : helpOfCommand(table, command);
  const { examples } = command === undefined ? table : table.commands[command];
  const termWidth = Math.max(...lists.flatMap(([, items]) => items.map(([term]) => term.length)));
  const environment = Object.entries(command === undefined ? environmentOf(table) : {});
  const codes = exitCodeRows(table.exits).map(([code, meaning]): Item => [String(code), meaning]);
  return [
    `Usage: ${usage}`,
    wrapped(description, width).join("\n"),
    ...lists.map(([title, items]) => list(title, items, width, termWidth)),
    ["Examples:", ...examples.map((line) => `  ${line}`)].join("\n"),
    list("Environment variables:", environment, width),
    list("Exit codes:", codes, width),
    command === undefined ? `"${table.name} help COMMAND" explains a command.` : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The parts of a help that differ between a command and the program. */
interface Parts {
  usage: string;
  description: string;
  lists: [title: string, items: Item[]][];
}

function helpOfProgram(table: ProgramTable<string, string>): Parts {
  const own = table.defaultCommand === undefined ? [] : optionNamesOf(table, table.defaultCommand);
  const names = own.length === 0 ? Object.keys(COMMON_OPTIONS) : own;
  return {
    usage: `${table.name} ${usageOfProgram(table)}`,
    description: paragraphs(table),
    lists: [
      ["Options:", [...optionItems(table, names), ["-V, --version", "print the version"]]],
      [
        "Commands:",
        [
          ...shownCommandsOf(table).map((name): Item => [name, (table.commands[name] as CommandRow).summary]),
          ["help", "Print the help of a command"],
          ["completion", `Print a completion script for ${SHELLS.join(", ")}`],
        ],
      ],
    ],
  };
}

/** `COMMAND [OPTIONS]`, or the arguments of the default command before it. */
function usageOfProgram(table: ProgramTable<string, string>): string {
  const { defaultCommand } = table;
  return defaultCommand === undefined
    ? "COMMAND [OPTIONS]"
    : `[OPTIONS] ${usageOf(table, defaultCommand)} | COMMAND [OPTIONS]`;
}

function helpOfCommand<Command extends string>(table: ProgramTable<Command, string>, command: Command): Parts {
  const row = table.commands[command];
  const words = row.words.map(({ name, meaning, env }): Item => [name, withEnvironment(meaning, env)]);
  return {
    usage: `${table.name} ${command} [OPTIONS] ${usageOf(table, command)}`.trimEnd(),
    description: paragraphs(row),
    lists: [
      ["Arguments:", words],
      ["Options:", optionItems(table, optionNamesOf(table, command))],
    ],
  };
}

function paragraphs({ summary, details }: Pick<CommandRow, "summary" | "details">): string {
  return details === undefined ? `${summary}.` : `${summary}.\n\n${details}`;
}

function optionItems(table: ProgramTable<string, string>, names: readonly string[]): Item[] {
  const options = optionsOf(table);
  return names.map((name) => {
    const row = options[name] as CommandOption<string>;
    const before = row.short === undefined ? "    " : `-${row.short}, `;
    return [`${before}${optionText(name, row)}`, optionDescription(row)];
  });
}

/** Empty without items. */
function list(
  title: string,
  items: readonly Item[],
  width: number,
  termWidth: number = Math.max(...items.map(([term]) => term.length)),
): string {
  if (items.length === 0) return "";
  const indent = " ".repeat(termWidth + 4);
  const lines = items.map(
    ([term, text]) => `  ${term.padEnd(termWidth)}  ${wrapped(text, width - indent.length).join(`\n${indent}`)}`,
  );
  return [title, ...lines].join("\n");
}

function wrapped(text: string, width: number): string[] {
  const lines = text.split("\n");
  return width < NARROWEST ? lines : lines.flatMap((line) => filledLines(line, width));
}

const withEnvironment = (text: string, env: string | undefined): string =>
  env === undefined ? text : `${text} [env: ${env}]`;

/** Description of an option, with its default and environment variable in brackets. */
export function optionDescription({ help, default: value, env }: Omit<CommandOption<string>, "commands">): string {
  return withEnvironment(value === undefined ? help : `${help} [${value}]`, env);
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
