import { isPerduraError } from "@perdura/internals/errors/errors.js";

/** What would steer a terminal. */
// oxlint-disable-next-line no-control-regex
export const STEERING: RegExp = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * What is the matter with something that was thrown: it should be one of perdura's own errors, name the file, be short and
 * have nothing in it that steers a terminal.
 */
export function faultsOfError(
  what: string,
  error: unknown,
  path: string,
  isOwn: boolean = isPerduraError(error),
): string[] {
  const { name, message, stack } = error as Error;
  const faults = [
    isOwn
      ? undefined
      : `${name}: ${message} ${String((error as { code?: unknown }).code)} is no error of perdura's (${String(stack).split("\n")[1]?.trim()})`,
    isOwn && !message.includes(path.split("/").at(-1) ?? path)
      ? `the message does not name the file: ${message}`
      : undefined,
    message.length > 2000 ? `the message has ${message.length} characters` : undefined,
    STEERING.test(message) ? `the message could steer a terminal: ${JSON.stringify(message)}` : undefined,
  ];
  return faults.filter((fault) => fault !== undefined).map((fault) => `${what}: ${fault}`);
}

/** Does something that may fail with an error of perdura's own; adds what is the matter with another one. */
export function attempt<Result>(what: string, path: string, wrong: string[], task: () => Result): Result | undefined {
  try {
    return task();
  } catch (error) {
    wrong.push(...faultsOfError(what, error, path));
    return undefined;
  }
}
