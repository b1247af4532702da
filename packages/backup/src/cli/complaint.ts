import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { mayHoldSecret } from "@perdura/internals/terminal/redact_secrets.js";
import { describe } from "@perdura/internals/text/describe.js";
import { EXIT, exitCodeOfError } from "@perdura/cli/exit_codes.js";
import { messageOf } from "@perdura/cli/argument_names.js";
import type { Complaint } from "@perdura/cli/run_program.js";
import { Interrupted } from "@perdura/cli/usage_error.js";
import { type Arguments, TABLE } from "./table.ts";

/** Sentences about the files of an interrupted command. */
export const LEFT = {
  pull: {
    stopping: "The file will not be changed, and the next pull will continue with the bytes that arrived.",
    ended: "The file was not changed. The next pull of this version into it continues with the bytes that arrived.",
  },
  other: {
    stopping: "No incomplete version or file will be left.",
    ended: "No incomplete version or file was left.",
  },
} as const;

/**
 * Converts an error of the library into a message of the command line; undefined for other errors, which the
 * command-line kit reports.
 */
export function complaintOf(error: unknown, given: Arguments | undefined, reason: unknown): Complaint | undefined {
  // Another error is reported as a failure, even after an interruption by the user.
  if (error instanceof Interrupted || (reason !== undefined && error === reason))
    return {
      text: `Interrupted. ${LEFT[given?.command === "pull" ? "pull" : "other"].ended}`,
      code: EXIT.interrupted,
    };
  if (!isPerduraError(error)) return undefined;
  const text = messageOf(error, TABLE, given?.command);
  const hidden = (given?.words.slice(1) ?? []).filter(mayHoldSecret).flatMap((word) => [describe(word), word]);
  return {
    text: hidden.reduce((shown, word) => shown.replaceAll(word, "…"), text),
    code: isAboutDocument(error) ? EXIT.failed : exitCodeOfError(error),
  };
}

/** An invalid document is not a usage error. */
function isAboutDocument(error: object): boolean {
  return typeof (error as { pointer?: unknown }).pointer === "string";
}
