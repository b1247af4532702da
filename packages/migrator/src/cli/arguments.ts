import { parseArgs } from "node:util";

type Command = "plan" | "up" | "verify";
const COMMANDS: readonly string[] = ["plan", "up", "verify"];

/** What the command line asks for. */
export interface Arguments {
  command: Command | undefined;
  targets: string[];
  help: boolean;
  version: boolean;
  json: boolean;
  quiet: boolean;
  yes: boolean;
  color: boolean;
  backup: boolean;
  backupDir: string | undefined;
  invalidRows: string | undefined;
  fence: string | undefined;
  states: string[];
}

/** Says in one sentence what is wrong with the command line. */
export class UsageError extends Error {}

/** Options that mean something to some commands only. */
const ONLY_FOR: Record<string, readonly Command[]> = {
  yes: ["up"],
  "no-backup": ["up"],
  fence: ["plan", "up"],
  "invalid-rows": ["plan", "up"],
};

/** @throws UsageError for what is unknown, missing, or means nothing to the command. */
export function readArguments(words: readonly string[]): Arguments {
  const { values, positionals } = parse(words);
  const [command, ...targets] = positionals;
  const help = values.help ?? false;
  const version = values.version ?? false;
  if (!help && !version) check(command, targets, Object.keys(values));
  else if (command !== undefined && !COMMANDS.includes(command))
    throw new UsageError(`There is no command "${command}".`);
  return {
    command: command as Command | undefined,
    targets,
    help,
    version,
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    yes: values.yes ?? false,
    color: !(values["no-color"] ?? false),
    backup: !(values["no-backup"] ?? false),
    backupDir: values["backup-dir"],
    invalidRows: values["invalid-rows"],
    fence: values.fence,
    states: values.states ?? [],
  };
}

function check(command: string | undefined, targets: readonly string[], options: readonly string[]): void {
  if (command === undefined) throw new UsageError("Which command? Try plan.");
  if (!COMMANDS.includes(command)) throw new UsageError(`There is no command "${command}".`);
  if (targets.length === 0)
    throw new UsageError(`${command} needs a target: a database, a state directory, or a directory that holds them.`);
  const misplaced = options.find((option) => ONLY_FOR[option]?.includes(command as Command) === false);
  if (misplaced !== undefined) throw new UsageError(`--${misplaced} means nothing to ${command}.`);
}

type Parsed = ReturnType<typeof parseStrictly>;

function parse(words: readonly string[]): Parsed {
  try {
    return parseStrictly(words);
  } catch (error) {
    // Node's own sentences name the option; what follows the first is advice on its own quoting rules.
    throw new UsageError((error as Error).message.split(". ")[0] as string);
  }
}

function parseStrictly(words: readonly string[]) {
  return parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      help: { type: "boolean", short: "h" },
      version: { type: "boolean" },
      json: { type: "boolean" },
      quiet: { type: "boolean", short: "q" },
      yes: { type: "boolean", short: "y" },
      "no-color": { type: "boolean" },
      "no-backup": { type: "boolean" },
      "backup-dir": { type: "string" },
      "invalid-rows": { type: "string" },
      fence: { type: "string" },
      states: { type: "string", multiple: true },
    },
  });
}
