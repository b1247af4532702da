import { inspect } from "node:util";
import { isPerduraError } from "@perdura/internals/errors/errors.js";

/** Longest message; what it says of somebody's data is cut. Names of files are not counted. */
const LONGEST = 2000;

/** What steers a terminal: control characters but the line feed, changes of direction, line ends that no line has. */
// oxlint-disable-next-line no-control-regex
export const STEERING: RegExp = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** What a refusal has to say. */
export interface Expectation {
  /** What its message must name, as a terminal shows it. */
  names?: string | undefined;
  /** What it must not repeat. */
  secret?: string | undefined;
  /** Errors that the reader throws on purpose beside those of perdura. */
  own?: (error: unknown) => boolean;
}

/** What is wrong with a refusal: it must be meant, and say so in a message that is fit to be shown. */
export function faultsOfError(error: unknown, { names, secret, own }: Expectation = {}): string[] {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if (!isPerduraError(error) && own?.(error) !== true)
    return [`not refused on purpose: ${(stack ?? message).slice(0, 700)}`];
  const faults = faultsOfText(message, `the message of ${name}`);
  if (message.length > LONGEST + (names?.length ?? 0))
    faults.push(`a message of ${message.length} characters: ${message.slice(0, 200)}`);
  // oxlint-disable-next-line messages/no-decisions -- the words themselves are judged
  if (names !== undefined && !message.includes(names))
    faults.push(`the message does not name ${names}: ${message.slice(0, 300)}`);
  // Also as a program shows an error that nobody caught, with those that caused it.
  const shown = secret === undefined ? "" : inspect(error, { depth: 5 });
  const at = secret === undefined ? -1 : shown.indexOf(secret);
  if (at !== -1)
    faults.push(`the secret is repeated in ${name}: ${JSON.stringify(shown.slice(Math.max(0, at - 200), at + 50))}`);
  return faults;
}

/** What is wrong with text that is shown to somebody. */
export function faultsOfText(text: string, what: string): string[] {
  const found = STEERING.exec(text);
  if (found === null) return [];
  const around = JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 20));
  return [`${what} has the character ${codeOf(found[0])}, which steers a terminal: ${around}`];
}

function codeOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
