import { valueOf, valuesOf } from "@perdura/cli/option_table.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { implementationAdapter, type ImplementationName } from "../implementations.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import { commandAdapter } from "../protocol/stdio.ts";
import { parseVersion } from "../corpus/version_range.ts";
import type { Arguments } from "./table.ts";

/** The adapters that `--implementation` and `--adapter` name. */
export function adaptersOf(given: Arguments): AdapterSource[] {
  const builtIn = valuesOf(given, "implementation").map((name) => implementationAdapter(name as ImplementationName));
  const commands = valuesOf(given, "adapter").map((command) => orUsage("adapter", () => commandAdapter(command)));
  return [...builtIn, ...commands];
}

/** `--timeout` in milliseconds. */
export function timeoutOf(given: Arguments): number | undefined {
  const seconds = valueOf(given, "timeout");
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** Value of `--line`: a major version or a full version. */
export function lineOf(given: Arguments): string | undefined {
  const line = valueOf(given, "line");
  if (line === undefined || /^\d+$/.test(line)) return line;
  return orUsage("line", () => {
    parseVersion(line);
    return line;
  });
}

/** Turns an unreadable or invalid file, profile or command into a usage error of its option. */
export function orUsage<Result>(option: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`--${option}: ${(error as Error).message}.`, { cause: error });
  }
}
