import { parseArgs } from "node:util";
import { suggestion } from "./near_miss.ts";
import type { CommandOption, Given, OptionTable } from "./option_table.ts";
import { UsageError } from "./usage_error.ts";

/** An option as it stands on the command line. */
export interface OptionToken {
  name: string;
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}

/** Tells options from other words; whether they are any is for {@link readOption} to say. */
export function splitWords(
  words: readonly string[],
  table: OptionTable<string, string>,
): { positionals: string[]; options: OptionToken[] } {
  const options = Object.fromEntries(Object.entries(table).map(([name, option]) => [name, declared(option)]));
  const { tokens } = parseArgs({ args: [...words], options, strict: false, tokens: true });
  return {
    positionals: tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : [])),
    options: tokens.filter((token) => token.kind === "option"),
  };
}

function declared({ value, short }: CommandOption<string>): { type: "string" | "boolean"; short?: string } {
  return { type: value === undefined ? "boolean" : "string", ...(short === undefined ? {} : { short }) };
}

/** @throws UsageError for an option that there is not, and for a value that is none. */
export function readOption<Name extends string>(
  { name, rawName, value, inlineValue }: OptionToken,
  table: OptionTable<string, Name>,
): Given<Name> {
  if (!isOption(name, table)) {
    const known = rawName.startsWith("--") ? suggestion(name, Object.keys(table), "--") : "";
    throw new UsageError(`There is no option ${rawName}.${known}`);
  }
  const { value: placeholder, pattern, expected } = table[name];
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

function isOption<Name extends string>(name: string, table: OptionTable<string, Name>): name is Name {
  return Object.hasOwn(table, name);
}
