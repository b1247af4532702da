import { type Command, type Given, type OptionName, OPTIONS } from "./options.ts";
import { UsageError } from "./usage_error.ts";

/** What to use instead of an option that means nothing to a command. */
const INSTEAD: Partial<Record<OptionName, Partial<Record<Command, string>>>> = {
  "dry-run": { up: "plan shows what up would do, and up --rehearse does it on private copies." },
  rehearse: { plan: "plan changes nothing anyway; it is for up.", down: "Use --dry-run.", prune: "Use --dry-run." },
  backups: { down: "down leaves the backups where they are." },
  extract: { down: "down brings the directory back; extract is for states ARCHIVE." },
};

/** @throws UsageError for what means nothing to the command, contradicts itself, or is missing. */
export function checkGiven(command: Command, targets: readonly string[], given: readonly Given[]): void {
  for (const { name } of given) assertMeansSomething(name, command);
  assertOnce(given);
  const names = new Set(given.map(({ name }) => name));
  if (names.has("no-backup") && names.has("backup-dir") && !names.has("rehearse"))
    throw new UsageError("--no-backup and --backup-dir exclude each other.");
  if (command === "copy" && targets.length !== 2)
    throw new UsageError(
      "copy needs two places: perdura-migrate copy ./data postgres://localhost/agents, or the other way round.",
    );
  if (targets.length === 0)
    throw new UsageError(
      command === "states"
        ? "states needs an archive, for example data/empathy_state.v15.sqlar."
        : `${command} needs a target: a database, a state directory, or a directory that holds them.`,
    );
  if (command === "states" && targets.length > 1) throw new UsageError("states takes one archive at a time.");
}

function assertMeansSomething(name: OptionName, command: Command): void {
  const { commands } = OPTIONS[name];
  if (commands.includes(command)) return;
  const instead = INSTEAD[name]?.[command] ?? `It is for ${listed(commands)}.`;
  throw new UsageError(`--${name} means nothing to ${command}. ${instead}`);
}

/** Where the same is said twice in different words, one of them is a mistake. */
function assertOnce(given: readonly Given[]): void {
  for (const { name, value } of given) {
    const other = given.find((option) => option.name === name && option.value !== value);
    if (OPTIONS[name].repeatable !== true && other !== undefined)
      throw new UsageError(`--${name} is given twice, with ${value} and with ${other.value}.`);
  }
}

function listed(words: readonly string[]): string {
  return words.length === 1 ? (words[0] as string) : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
