import { existsSync } from "node:fs";
import { suggestion } from "@perdura/cli/near_miss.js";
import type { Given } from "@perdura/cli/option_table.js";
import { readOption, splitWords } from "@perdura/cli/read_options.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { checkGiven } from "./check_arguments.ts";
import { type Command, COMMANDS, isCommand, type OptionName, OPTIONS } from "./options.ts";

/** What the command line asks for. */
export interface Arguments {
  command: Command | undefined;
  targets: string[];
  /** In the order in which they were given. */
  given: Given<OptionName>[];
}

/** What other programs call the commands. */
const SYNONYMS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    migrate: "up",
    upgrade: "up",
    run: "up",
    check: "verify",
    validate: "verify",
    compare: "verify",
    revert: "down",
    rollback: "down",
    undo: "down",
    downgrade: "down",
    clean: "prune",
    cleanup: "prune",
    preview: "plan",
    list: "states",
    info: "status",
    move: "copy",
    transfer: "copy",
  } as const),
);

/** @throws UsageError for what is unknown, missing, or means nothing to the command. */
export function readArguments(words: readonly string[]): Arguments {
  const { positionals, options } = splitWords(words, OPTIONS);
  // Whoever asks for help gets it, whatever else is wrong.
  const helped = options.some(({ name }) => name === "help") || positionals[0] === "help";
  const [word, ...targets] = positionals[0] === "help" ? positionals.slice(1) : positionals;
  if (helped)
    return { command: isCommand(word) ? word : undefined, targets: [], given: [{ name: "help", value: undefined }] };
  const given = options.map((option) => readOption(option, OPTIONS));
  if (given.some(({ name }) => name === "version")) return { command: undefined, targets: [], given };
  const command = commandFrom(word);
  checkGiven(command, targets, given);
  return { command, targets, given };
}

function commandFrom(word: string | undefined): Command {
  if (isCommand(word)) return word;
  if (word === undefined) throw new UsageError(`Which command? There are ${COMMANDS.join(", ")}.`);
  const known = SYNONYMS.get(word.toLowerCase());
  if (known !== undefined) throw new UsageError(`There is no command "${word}". Did you mean ${known}?`);
  const found = suggestion(word, COMMANDS);
  if (found === "" && existsSync(word))
    throw new UsageError(`A command comes first: perdura-migrate plan ${word} shows what would be done.`);
  throw new UsageError(`There is no command "${word}".${found}`);
}
