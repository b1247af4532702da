import { IMPLEMENTATIONS, implementationAdapter } from "../implementations.ts";
import type { ImplementationName } from "../implementations.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import { commandAdapter } from "../protocol/stdio.ts";
import { UsageError } from "./usage_error.ts";

/** The options that name implementations, as `parseArgs` takes them. */
export const ADAPTER_OPTIONS = {
  implementation: { type: "string", multiple: true },
  adapter: { type: "string", multiple: true },
} as const;

/** The values of {@link ADAPTER_OPTIONS}. */
export interface AdapterValues {
  implementation?: string[] | undefined;
  adapter?: string[] | undefined;
}

/** The adapters that `--implementation` and `--adapter` name. */
export function adaptersFrom(values: AdapterValues): AdapterSource[] {
  return [...(values.implementation ?? []).map(builtIn), ...(values.adapter ?? []).map(command)];
}

function command(adapter: string): AdapterSource {
  try {
    return commandAdapter(adapter);
  } catch (error) {
    throw new UsageError(`--adapter: ${(error as Error).message}`);
  }
}

function builtIn(name: string): AdapterSource {
  if ((IMPLEMENTATIONS as readonly string[]).includes(name)) return implementationAdapter(name as ImplementationName);
  throw new UsageError(
    `--implementation ${name}: there are ${IMPLEMENTATIONS.join(", ")}; for anything else give --adapter "<command>"`,
  );
}
