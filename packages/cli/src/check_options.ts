import type { Given, OptionTable } from "./option_table.ts";
import { UsageError } from "./usage_error.ts";

/**
 * @param instead Advice for a command that does not accept the option.
 * @param shownName Name of a command in messages.
 * @throws UsageError if the command does not accept the option.
 */
export function assertApplicable<Command extends string, Name extends string>(
  name: Name,
  command: Command,
  table: OptionTable<Command, Name>,
  instead: Partial<Record<Name, Partial<Record<Command, string>>>> = {},
  shownName: (name: Command) => string = (each) => each,
): void {
  const { commands } = table[name];
  if (commands.includes(command)) return;
  const use = instead[name]?.[command] ?? `It applies to ${listed(commands.map(shownName))}.`;
  throw new UsageError(`--${name} does not apply to ${shownName(command)}. ${use}`);
}

/** Refuses an option with two different values. Neither is shown, because one may be a secret. */
export function assertGivenOnce<Name extends string>(
  given: readonly Given<Name>[],
  table: OptionTable<string, Name>,
): void {
  for (const { name, value } of given) {
    if (table[name].repeatable === true) continue;
    if (given.some((option) => option.name === name && option.value !== value))
      throw new UsageError(`--${name} was given twice with different values.`);
  }
}

function listed(words: readonly string[]): string {
  return words.length === 1 ? (words[0] as string) : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
