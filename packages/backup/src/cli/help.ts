import { optionHelp } from "@perdura/cli/option_help.js";
import { wrap } from "@perdura/cli/wrap.js";
import { EXIT_CODES, OVERVIEW, SUMMARIES, USAGE } from "./help_texts.ts";
import { type Command, COMMANDS, type OptionName, OPTIONS } from "./options.ts";

/** Widest help, in columns. */
const WIDEST = 80;

/** The help for a command, or for the program. */
export function helpText(command: Command | undefined, columns: number): string {
  const width = Math.min(columns, WIDEST);
  const wanted = command === undefined ? COMMANDS : [command];
  const options = (Object.keys(OPTIONS) as OptionName[])
    .filter((name) => wanted.every((each) => OPTIONS[name].commands.includes(each)))
    .map((name) => optionHelp(name, OPTIONS[name], width));
  const sections =
    command === undefined
      ? [OVERVIEW, commandList(), ["Options of every command", ...options].join("\n")]
      : [USAGE[command], ["Options", ...options].join("\n")];
  return wrap([...sections, EXIT_CODES].join("\n\n"), width);
}

function commandList(): string {
  const lines = COMMANDS.map((name) => `  ${name.padEnd(8)}${SUMMARIES[name]}`);
  return ["Commands (perdura-backup COMMAND --help says more)", ...lines].join("\n");
}
