import type { ErrorCode } from "@perdura/internals/errors/codes.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { mayHoldSecret, withoutSecrets } from "@perdura/internals/terminal/without_secrets.js";
import { describe } from "@perdura/internals/text/describe.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import type { Command } from "./options.ts";
import { Interruption, NeedsDecision } from "./outcome.ts";

/** What ended a command, for stderr. */
export interface Complaint {
  text: string;
  code: number;
}

/** What is wrong with the command line itself, and what another process is in the way of; the rest failed. */
const CODES: Partial<Record<ErrorCode, number>> = {
  PERDURA_VALIDATION: 2,
  PERDURA_FILE_NOT_FOUND: 2,
  PERDURA_UNSUPPORTED_RUNTIME: 2,
  PERDURA_BUSY: 5,
};

/** What is known of the command that did not come to its end. */
interface Circumstances {
  command?: Command;
  /** The words after the address. */
  words?: readonly string[];
  /** What its signal was aborted with; undefined where it was not. */
  reason?: unknown;
}

/** Says what was thrown. */
export function complaintOf(error: unknown, circumstances: Circumstances = {}): Complaint {
  const { text, code } = complaint(error, circumstances);
  const hidden = (circumstances.words ?? []).filter(mayHoldSecret).flatMap((word) => [describe(word), word]);
  return { text: withoutSecrets(hidden.reduce((shown, word) => shown.replaceAll(word, "…"), text)), code };
}

function complaint(error: unknown, { command, reason }: Circumstances): Complaint {
  // Another failure is one, also where somebody had asked the command to end.
  if (error instanceof Interruption || (reason !== undefined && error === reason))
    return { text: "Interrupted. Nothing half-written is left.", code: 130 };
  if (error instanceof UsageError) return { text: `${error.message} See perdura-backup --help.`, code: 2 };
  if (error instanceof NeedsDecision) return { text: error.message, code: 3 };
  if (!isPerduraError(error)) return { text: `Failed: ${(error as Error).stack ?? String(error)}`, code: 1 };
  return { text: withWords(error.message, command), code: isAboutDocument(error) ? 1 : (CODES[error.code] ?? 1) };
}

/** A document that is no library is no wrong usage. */
function isAboutDocument(error: object): boolean {
  return typeof (error as { pointer?: unknown }).pointer === "string";
}

/** What the command line calls the arguments of the library. */
const WORDS: Record<string, string> = {
  place: "ADDRESS",
  source: "PATH",
  name: "NAME",
  to: "--to",
  version: "--version",
  at: "--at",
  tries: "--tries",
  timeoutMs: "--timeout",
};

function withWords(sentence: string, command: Command | undefined): string {
  const words: Record<string, string> = command === "push" ? { ...WORDS, name: "--name" } : WORDS;
  return sentence.replace(/^(\w+): /, (found, argument: string) =>
    Object.hasOwn(words, argument) ? `${words[argument]}: ` : found,
  );
}
