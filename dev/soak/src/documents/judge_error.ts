import { inspect } from "node:util";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { STEERING } from "../../../../test/hostile/steering.ts";

/** Maximum length of a message, in which quoted data is shortened. File names are not counted. */
const LONGEST = 2000;

/** Requirements for an error. */
export interface Expectation {
  /** Text that the message must contain, as a terminal shows it. */
  names?: string | undefined;
  /** Text that the error must not repeat. */
  secret?: string | undefined;
  /** Recognises errors other than perdura's that the reader throws on purpose. */
  own?: (error: unknown) => boolean;
}

/** Faults of an error: it must be raised on purpose, with a message that is safe to display. */
export function faultsOfError(error: unknown, { names, secret, own }: Expectation = {}): string[] {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if (!isPerduraError(error) && own?.(error) !== true)
    return [`an unexpected error, not a refusal: ${(stack ?? message).slice(0, 700)}`];
  const faults = faultsOfText(message, `the message of ${name}`);
  if (message.length > LONGEST + (names?.length ?? 0))
    faults.push(`a message of ${message.length} characters: ${message.slice(0, 200)}`);
  // oxlint-disable-next-line messages/no-decisions -- the words themselves are judged
  if (names !== undefined && !message.includes(names))
    faults.push(`the message does not name ${names}: ${message.slice(0, 300)}`);
  // Also as a program shows an uncaught error, with its causes.
  const shown = secret === undefined ? "" : inspect(error, { depth: 5 });
  const at = secret === undefined ? -1 : shown.indexOf(secret);
  if (at !== -1)
    faults.push(`the secret appears in ${name}: ${JSON.stringify(shown.slice(Math.max(0, at - 200), at + 50))}`);
  return faults;
}

/** Faults of a text that is displayed. */
export function faultsOfText(text: string, what: string): string[] {
  const found = STEERING.exec(text);
  if (found === null) return [];
  const around = JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 20));
  return [`${what} has the unescaped control character ${codeOf(found[0])}: ${around}`];
}

function codeOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
