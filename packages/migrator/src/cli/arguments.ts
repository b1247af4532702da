import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkGiven } from "./check_arguments.ts";
import { suggestion } from "./near_miss.ts";
import { type Command, COMMANDS, type Given, isCommand, isOption, type OptionName, OPTIONS } from "./options.ts";
import { UsageError } from "./usage_error.ts";

/** What the command line asks for. */
export interface Arguments {
  command: Command | undefined;
  targets: string[];
  /** In the order in which they were given. */
  given: Given[];
}

/** What other programs call the commands. */
const SYNONYMS: Record<string, Command> = {
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
};

/** @throws UsageError for what is unknown, missing, or means nothing to the command. */
export function readArguments(words: readonly string[]): Arguments {
  const { tokens } = parseArgs({ args: [...words], options: DECLARED, strict: false, tokens: true });
  const positionals = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const options = tokens.filter((token) => token.kind === "option");
  // Whoever asks for help gets it, whatever else is wrong.
  const helped = options.some(({ name }) => name === "help") || positionals[0] === "help";
  const [word, ...targets] = positionals[0] === "help" ? positionals.slice(1) : positionals;
  if (helped)
    return { command: isCommand(word) ? word : undefined, targets: [], given: [{ name: "help", value: undefined }] };
  const given = options.map(readOption);
  if (given.some(({ name }) => name === "version")) return { command: undefined, targets: [], given };
  const command = commandFrom(word);
  checkGiven(command, targets, given);
  return { command, targets, given };
}

/** True when an option was given. */
export function has({ given }: Pick<Arguments, "given">, name: OptionName): boolean {
  return given.some((option) => option.name === name);
}

/** The value of an option, or undefined where it was not given. */
export function valueOf(from: Pick<Arguments, "given">, name: OptionName): string | undefined {
  return valuesOf(from, name).at(-1);
}

/** Every value of an option that may be repeated. */
export function valuesOf({ given }: Pick<Arguments, "given">, name: OptionName): string[] {
  return given.flatMap((option) => (option.name === name && option.value !== undefined ? [option.value] : []));
}

const DECLARED = Object.fromEntries(
  (Object.keys(OPTIONS) as OptionName[]).map((name) => {
    const { value, short } = OPTIONS[name];
    const type: "string" | "boolean" = value === undefined ? "boolean" : "string";
    return [name, { type, multiple: true, ...(short === undefined ? {} : { short }) }];
  }),
);

interface OptionToken {
  name: string;
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}

function readOption({ name, rawName, value, inlineValue }: OptionToken): Given {
  if (!isOption(name)) {
    const known = rawName.startsWith("--") ? suggestion(name, Object.keys(OPTIONS), "--") : "";
    throw new UsageError(`There is no option ${rawName}.${known}`);
  }
  const { value: placeholder, pattern, expected } = OPTIONS[name];
  if (placeholder === undefined) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value.`);
    return { name, value: undefined };
  }
  const needs = `--${name} needs a value: ${expected ?? "a directory"}.`;
  if (value === undefined || value === "") throw new UsageError(needs);
  if (inlineValue !== true && value.startsWith("-")) throw new UsageError(`${needs} (Found ${value}.)`);
  if (pattern?.test(value) === false)
    throw new UsageError(
      `--${name}: expected ${expected}, got ${JSON.stringify(value)}.${suggestion(value, expected?.match(/[\w-]{3,}/g) ?? [])}`,
    );
  return { name, value };
}

function commandFrom(word: string | undefined): Command {
  if (isCommand(word)) return word;
  if (word === undefined) throw new UsageError(`Which command? There are ${COMMANDS.join(", ")}.`);
  const known = SYNONYMS[word.toLowerCase()];
  if (known !== undefined) throw new UsageError(`There is no command "${word}". Did you mean ${known}?`);
  const found = suggestion(word, COMMANDS);
  if (found === "" && existsSync(word))
    throw new UsageError(`A command comes first: perdura-migrate plan ${word} shows what would be done.`);
  throw new UsageError(`There is no command "${word}".${found}`);
}
