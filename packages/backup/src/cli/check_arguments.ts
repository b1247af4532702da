import { assertMeansSomething, assertOnce } from "@perdura/cli/check_options.js";
import { type Given, valueOf } from "@perdura/cli/option_table.js";
import { isAddress } from "@perdura/internals/text/addresses.js";
import { isNoPath } from "../local/no_path.ts";
import { mayHoldSecret } from "@perdura/internals/terminal/without_secrets.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { type Command, KEEP_OPTIONS, type OptionName, OPTIONS } from "./options.ts";

/** What each command takes after its name: the words, and how many of them there must be. */
const TARGETS: Record<Command, [words: readonly string[], needed: number]> = {
  push: [["ADDRESS", "PATH"], 2],
  list: [["ADDRESS", "NAME"], 1],
  pull: [["ADDRESS", "NAME"], 2],
  verify: [["ADDRESS", "NAME"], 1],
  prune: [["ADDRESS", "NAME"], 1],
};

const MEANINGS: Record<string, string> = {
  ADDRESS: "the address of a store, for example file:///srv/backups",
  PATH: "the file of a library",
  NAME: "the name of a library",
};

const OWN_VERSION = "It is for pull. (perdura-backup --version prints that of the program.)";
const NAME_STANDS = "The name stands behind the address.";

/** What to use instead of an option that means nothing to a command. */
const INSTEAD: Partial<Record<OptionName, Partial<Record<Command, string>>>> = {
  version: { push: OWN_VERSION, list: OWN_VERSION, verify: OWN_VERSION, prune: OWN_VERSION },
  name: { list: NAME_STANDS, pull: NAME_STANDS, verify: NAME_STANDS, prune: NAME_STANDS },
};

/** @throws UsageError for what means nothing to the command, contradicts itself, or is missing. */
export function checkGiven(command: Command, targets: readonly string[], given: readonly Given<OptionName>[]): void {
  for (const { name } of given) assertMeansSomething(name, command, OPTIONS, INSTEAD);
  assertOnce(given, OPTIONS);
  checkTargets(command, targets);
  const valueFor = (name: OptionName): string | undefined => valueOf({ given }, name);
  if (command === "pull") {
    if (valueFor("to") === undefined) throw new UsageError("pull needs --to PATH: where the library goes.");
    if (valueFor("version") !== undefined && valueFor("at") !== undefined)
      throw new UsageError("--version and --at exclude each other.");
  }
  if (command === "prune" && !KEEP_OPTIONS.some((name) => Number(valueFor(name) ?? 0) > 0))
    throw new UsageError(
      `prune needs to know what stays: at least one of ${KEEP_OPTIONS.map((name) => `--${name}`).join(", ")} above 0.`,
    );
}

function checkTargets(command: Command, targets: readonly string[]): void {
  const [words, needed] = TARGETS[command];
  const missing = words[targets.length];
  if (targets.length < needed && missing !== undefined)
    throw new UsageError(`${command} needs ${missing}: ${MEANINGS[missing]}.`);
  if (command === "push") assertNoAddress(targets[1] as string, "PATH");
  // Not shown: it may hold a secret, and would become the name of a library.
  if (isAddress(targets[1] ?? ""))
    throw new UsageError(`${command} takes an address and the name of a library; the second is an address as well.`);
  const surplus = targets[words.length];
  if (surplus === undefined) return;
  const shown = isAddress(surplus) || mayHoldSecret(surplus) ? "another word" : JSON.stringify(surplus);
  throw new UsageError(`${command} takes ${words.join(" and ")}; ${shown} is too much.`);
}

/**
 * Makes sure that a word is no address, which stands at one place only; a path that looks like one begins with `./`.
 *
 * @throws UsageError that does not show the word: it may hold a secret.
 */
export function assertNoAddress(word: string, place: string): void {
  if (isNoPath(word))
    throw new UsageError(
      `${place}: expected no address here; the word is not shown, because it may hold a secret. Write ./ before the path of a file.`,
    );
}
