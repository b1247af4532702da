import { type Command, COMMANDS, type OptionName, OPTIONS, optionText } from "./options.ts";
import { EXIT_CODES, OVERVIEW, SUMMARIES, USAGE } from "./help_texts.ts";
import { wrap } from "./wrap.ts";

/** Widest help, in columns. */
const WIDTH = 80;
/** Where the explanations of options begin. */
const COLUMN = 24;

/** The help for a command, or for the program. */
export function helpText(command: Command | undefined, width: number): string {
  const names = (Object.keys(OPTIONS) as OptionName[]).filter((name) =>
    command === undefined ? OPTIONS[name].commands.length === COMMANDS.length : meansSomething(name, command),
  );
  const sections = [
    command === undefined ? OVERVIEW : USAGE[command],
    ...(command === undefined ? [commandList()] : []),
    `${command === undefined ? "Options of every command" : "Options"}\n${names.map((name) => optionLines(name, Math.min(width, WIDTH))).join("\n")}`,
    EXIT_CODES,
  ];
  return wrap(sections.join("\n\n"), Math.min(width, WIDTH));
}

function meansSomething(name: OptionName, command: Command): boolean {
  return OPTIONS[name].commands.includes(command) && name !== "version";
}

function commandList(): string {
  return `Commands (perdura-migrate COMMAND --help says more)\n${COMMANDS.map((name) => `  ${name.padEnd(9)}${SUMMARIES[name]}`).join("\n")}`;
}

/** The option, and beside it what it does, in lines of its own. */
function optionLines(name: OptionName, width: number): string {
  const { short, help } = OPTIONS[name];
  const option = `  ${short === undefined ? "" : `-${short}, `}${optionText(name)}`;
  const room = Math.max(width - COLUMN, 20);
  const [first = "", ...rest] = wrap(help, room)
    .split("\n")
    .map((line) => line.trim());
  const beside =
    option.length < COLUMN ? [`${option.padEnd(COLUMN)}${first}`] : [option, `${" ".repeat(COLUMN)}${first}`];
  return [...beside, ...rest.map((line) => `${" ".repeat(COLUMN)}${line}`)].join("\n");
}
