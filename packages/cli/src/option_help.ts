import { type CommandOption, optionText } from "./option_table.ts";
import { wrap } from "./wrap.ts";

/** Where the explanations of options begin. */
const COLUMN = 24;

/** The option, and beside it what it does, in lines of its own. */
export function optionHelp(name: string, option: CommandOption<string>, width: number): string {
  const { short, help } = option;
  const shown = `  ${short === undefined ? "" : `-${short}, `}${optionText(name, option)}`;
  const room = Math.max(width - COLUMN, 20);
  const [first = "", ...rest] = wrap(help, room)
    .split("\n")
    .map((line) => line.trim());
  const beside = shown.length < COLUMN ? [`${shown.padEnd(COLUMN)}${first}`] : [shown, `${" ".repeat(COLUMN)}${first}`];
  return [...beside, ...rest.map((line) => `${" ".repeat(COLUMN)}${line}`)].join("\n");
}
