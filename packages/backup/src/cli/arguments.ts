import { suggestion } from "@perdura/cli/near_miss.js";
import type { Given } from "@perdura/cli/option_table.js";
import { type OptionToken, readOption, splitWords } from "@perdura/cli/read_options.js";
import { isAddress } from "@perdura/internals/text/addresses.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { mayHoldSecret } from "@perdura/internals/terminal/without_secrets.js";
import { assertNoAddress, checkGiven } from "./check_arguments.ts";
import { type Command, COMMANDS, isCommand, type OptionName, OPTIONS } from "./options.ts";

/** What a command is to do. */
export interface Arguments {
  command: Command;
  /** The address, and what comes after it. */
  targets: string[];
  given: Given<OptionName>[];
}

/** What the command line asks for. */
export type Request =
  | { kind: "help"; command: Command | undefined }
  | { kind: "version" }
  | ({ kind: "run" } & Arguments);

/** What other programs call the commands. */
const SYNONYMS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    backup: "push",
    store: "push",
    save: "push",
    upload: "push",
    restore: "pull",
    download: "pull",
    get: "pull",
    ls: "list",
    versions: "list",
    check: "verify",
    remove: "prune",
    delete: "prune",
    rm: "prune",
    forget: "prune",
    clean: "prune",
  } as const),
);

/** @throws UsageError for what is unknown, missing, or means nothing to the command. */
export function readArguments(words: readonly string[]): Request {
  const { positionals, options } = splitWords(words, OPTIONS);
  const asksFirst = positionals[0] === "help";
  const [word, ...targets] = asksFirst ? positionals.slice(1) : positionals;
  // Whoever asks for help gets it, whatever else is wrong.
  if (words.length === 0 || asksFirst || options.some(({ name }) => name === "help"))
    return { kind: "help", command: isCommand(word) ? word : undefined };
  // With a command it is the version of a library.
  if (words[0] === "--version") return { kind: "version" };
  for (const { value, rawName } of options) assertNoAddress(value ?? "", rawName);
  const command = commandFrom(word);
  const given = options.map((option) => readOption(withoutVersion(option, command), OPTIONS));
  checkGiven(command, targets, given);
  return { kind: "run", command, targets, given };
}

function commandFrom(word: string | undefined): Command {
  if (isCommand(word)) return word;
  if (word === undefined) throw new UsageError(`Which command? There are ${COMMANDS.join(", ")}.`);
  const known = SYNONYMS.get(word.toLowerCase());
  if (known !== undefined) throw new UsageError(`There is no command "${word}". Did you mean ${known}?`);
  // Not shown, as it may hold a secret.
  if (isAddress(word) || mayHoldSecret(word))
    throw new UsageError("A command comes first: perdura-backup list ADDRESS shows what is there.");
  throw new UsageError(`There is no command "${word}".${suggestion(word, COMMANDS)}`);
}

/** `list ADDRESS --version` asks for something else than a version of a library, and need not name one to be told so. */
function withoutVersion(option: OptionToken, command: Command): OptionToken {
  return option.name === "version" && command !== "pull" ? { ...option, value: option.value ?? "none" } : option;
}
