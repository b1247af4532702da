import type { CommandOption } from "./option_table.ts";
import type { ProgramTable } from "./program_table.ts";

/** An error of the library behind a program. */
interface LibraryError {
  message: string;
  /** Name of the invalid argument, if the error is about one. */
  argument?: string | undefined;
  /** The message without that name at its beginning. */
  reason?: string | undefined;
}

/** The message of an error, with the command line's name of the argument: `--backup-dir` for `backupDir`. */
export function messageOf<Command extends string>(
  { message, argument, reason }: LibraryError,
  table: ProgramTable<Command, string>,
  command: Command | undefined,
): string {
  const name = argument === undefined || command === undefined ? undefined : nameOf(argument, table, command);
  return name === undefined || reason === undefined ? message : `${name}: ${reason}`;
}

function nameOf<Command extends string>(
  argument: string,
  table: ProgramTable<Command, string>,
  command: Command,
): string | undefined {
  const word = table.commands[command].words.find((each) => each.arguments?.includes(argument) === true);
  if (word !== undefined) return word.name;
  const options = Object.entries<CommandOption<Command>>(table.options);
  const option = options.find(
    ([name, row]) => row.commands.includes(command) && (row.arguments ?? [camelCase(name)]).includes(argument),
  );
  return option === undefined ? undefined : `--${option[0]}`;
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
