import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { mayHoldSecret } from "@perdura/internals/terminal/redact_secrets.js";
import { describe } from "@perdura/internals/text/describe.js";
import { EXIT, exitCodeOfError } from "@perdura/cli/exit_codes.js";
import { messageOf } from "@perdura/cli/argument_names.js";
import type { Complaint } from "@perdura/cli/run_program.js";
import { Interrupted } from "@perdura/cli/usage_error.js";
import { type Arguments, TABLE } from "./table.ts";

/**
 * Converts an error of the library into a message of the command line; undefined for other errors, which the
 * command-line kit reports.
 */
export function complaintOf(error: unknown, given: Arguments | undefined, reason: unknown): Complaint | undefined {
  // Another error is reported as a failure, even after an interruption by the user.
  if (error instanceof Interrupted || (reason !== undefined && error === reason))
    return { text: "Interrupted. No incomplete version or file was left.", code: EXIT.interrupted };
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
