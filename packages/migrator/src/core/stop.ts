import { countText } from "@perdura/cli/quantities.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { entryExists } from "@perdura/internals/files/exact_names.js";
import { quotaReason } from "@perdura/internals/files/out_of_space.js";
import { systemReason } from "@perdura/internals/files/system_reason.js";
import { isBusy } from "@perdura/internals/sqlite/busy.js";

/** Reason why work on one database or directory ended early. */
export type StopStatus = "refused" | "in_use" | "failed" | "interrupted";

/** Ends the work on one item with a sentence for the operator. No data is changed when it is thrown. */
export class Stop extends Error {
  readonly status: StopStatus;

  constructor(status: StopStatus, sentence: string, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.name = "Stop";
    this.status = status;
  }
}

/** Converts any thrown value to a {@link Stop}: a held lock is "in use", any unforeseen error is "failed". */
export function stopOf(error: unknown, path: string): Stop {
  if (error instanceof Stop) return error;
  if (isBusy(error) || isPerduraError(error, "PERDURA_BUSY")) {
    return new Stop("in_use", "Another process is using this database. Stop it, then run this command again.", error);
  }
  const { code, message = String(error) } = error as { code?: unknown; message?: string };
  // The report already names the path.
  const said = isPerduraError(error) && error.path === path && error.argument === undefined ? error.reason : message;
  const sentence = systemReason(code, path) ?? quotaReason(error) ?? said;
  // oxlint-disable-next-line messages/no-decisions -- looks only whether the sentence has its full stop
  return new Stop("failed", /[.!?]$/.test(sentence) ? sentence : `${sentence}.`, error);
}

/**
 * The same for an item that was found before: if it is gone, another program has removed it, and no decision is needed,
 * whatever the error says.
 */
export function stopOfFound(error: unknown, path: string): Stop {
  const stop = stopOf(error, path);
  if (stop.status === "interrupted" || !isGone(path)) return stop;
  return new Stop(
    "in_use",
    "It was removed while it was read: another program is working here. Run this command again when that program has finished.",
    error,
  );
}

function isGone(path: string): boolean {
  try {
    return !entryExists(path);
  } catch {
    // The directory may not be searched any more, as the error says.
    return false;
  }
}

const WORDS = {
  down: ["was already restored", "were already restored"],
  prune: ["was already removed, and is in the archive", "were already removed, and are in the archive"],
} as const;

/** A Stop of a command that processes single entries, with the number of finished entries. */
export function stoppedAfter(entries: number, command: keyof typeof WORDS, stop: Stop): Stop {
  if (entries === 0) return stop;
  const what = stop.status === "interrupted" ? "Interrupted." : stop.message;
  const words = WORDS[command][entries === 1 ? 0 : 1];
  return new Stop(
    stop.status,
    `${what} ${countText(entries, "entry", "entries")} ${words}. Run ${command} again to continue.`,
  );
}
