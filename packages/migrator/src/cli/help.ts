import { optionHelp } from "@perdura/cli/option_help.js";
import { wrap } from "@perdura/cli/wrap.js";
import { type Command, COMMANDS, type OptionName, OPTIONS } from "./options.ts";
import { EXIT_CODES, OVERVIEW, SUMMARIES, USAGE } from "./help_texts.ts";

/** Widest help, in columns. */
const WIDTH = 80;

/** The help for a command, or for the program. */
export function helpText(command: Command | undefined, width: number): string {
  const names = (Object.keys(OPTIONS) as OptionName[]).filter((name) =>
    command === undefined ? OPTIONS[name].commands.length === COMMANDS.length : meansSomething(name, command),
  );
  const sections = [
    command === undefined ? OVERVIEW : USAGE[command],
    ...(command === undefined ? [commandList()] : []),
    `${command === undefined ? "Options of every command" : "Options"}\n${names.map((name) => optionHelp(name, OPTIONS[name], Math.min(width, WIDTH))).join("\n")}`,
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
