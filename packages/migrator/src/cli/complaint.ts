import { EXIT, type ExitCode } from "@perdura/cli/exit_codes.js";
import { messageOf } from "@perdura/cli/argument_names.js";
import type { Complaint } from "@perdura/cli/run_program.js";
import { Interrupted } from "@perdura/cli/usage_error.js";
import type { ErrorCode } from "@perdura/internals/errors/codes.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { Stop } from "../core/stop.ts";
import { type Arguments, TABLE } from "./table.ts";

/** What is wrong with the command line itself, and what another process is in the way of; the rest failed. */
const CODES: Partial<Record<ErrorCode, ExitCode>> = {
  PERDURA_VALIDATION: EXIT.usage,
  PERDURA_FILE_NOT_FOUND: EXIT.usage,
  PERDURA_UNSUPPORTED_RUNTIME: EXIT.usage,
  PERDURA_BUSY: EXIT.busy,
};

/** Says an error of the library in words of the command line; the rest is for the kit to say. */
export function complaintOf(error: unknown, given: Arguments | undefined): Complaint | undefined {
  if (error instanceof Interrupted) return { text: "Interrupted. Nothing was changed.", code: EXIT.interrupted };
  if (error instanceof Stop && error.status === "interrupted") return { text: error.message, code: EXIT.interrupted };
  if (!isPerduraError(error)) return undefined;
  return { text: messageOf(error, TABLE, given?.command), code: CODES[error.code] ?? EXIT.failed };
}
