import { HelperProcess } from "../io/child/helper_process.ts";
import { type StopStatus, Stop } from "../core/stop.ts";
import type { Compared } from "./read/compare_entries.ts";
import type { EntryName } from "./format/entry_name.ts";
import type { StateCounts } from "./states/count_states.ts";

/** Request to the helper process for states: the second half of a task, while the caller does the first. */
export type HelperRequest =
  | ({ work: "compare" } & HelperComparison)
  | { work: "write"; root: string; listing: string; archive: string };

/** Entries of an archive from a name on, to be compared with a directory, including contents. */
interface HelperComparison {
  archive: string;
  root: string;
  from: EntryName;
}

/** Answer to a comparison. */
export interface ComparedPart {
  found: number;
  differences: string[];
  /** Number of differences that are not listed. */
  more: number;
}
export type WrittenPart = StateCounts;

/** Starts a helper process for states. */
export function helperForStates(signal: AbortSignal | undefined): HelperProcess {
  return new HelperProcess(new URL("./state_work", import.meta.url), signal);
}

/** Work in progress in a helper process. */
interface HelperPart<Answer> {
  /** Number of finished entries. */
  readonly done: number;
  /** @throws Stop as the work itself would; or any other error that ended it. */
  answer: () => Promise<Answer>;
}

/** Starts the second half of a task. */
export function startHelperPart(
  helper: HelperProcess,
  request: HelperRequest & { work: "write" },
): HelperPart<WrittenPart>;
export function startHelperPart(
  helper: HelperProcess,
  request: HelperRequest & { work: "compare" },
): HelperPart<ComparedPart>;
export function startHelperPart(helper: HelperProcess, request: HelperRequest): HelperPart<unknown> {
  const half = { done: 0, answer: () => Promise.resolve<unknown>(undefined) };
  // Awaited after the first half; an unhandled rejection would end the program before.
  const outcome = helper
    .ask(request, (done) => (half.done = done))
    .then(
      (answer: unknown) => ({ answer }),
      (error: unknown) => ({ error: stopFromHelper(error) }),
    );
  half.answer = async () => {
    const settled = await outcome;
    if ("error" in settled) throw settled.error;
    return settled.answer;
  };
  return half;
}

/** Compares the second half of an archive in the helper process. */
export function compareInHelper(
  helper: HelperProcess,
  comparison: HelperComparison,
): { readonly done: number; addTo: (compared: Compared) => Promise<void> } {
  const half = startHelperPart(helper, { work: "compare", ...comparison });
  return {
    get done() {
      return half.done;
    },
    addTo: async (compared) => {
      const { found, differences, more } = await half.answer();
      compared.found += found;
      compared.differences.addAll(differences, more);
    },
  };
}

/**
 * Prefix of the code that carries the status of a {@link Stop} between processes: only the message and the code of an
 * error are sent.
 */
const STOP_CODE = "STOP_";

export function serializableStop(error: unknown): unknown {
  return error instanceof Stop
    ? Object.assign(new Error(error.message), { code: `${STOP_CODE}${error.status}` })
    : error;
}

function stopFromHelper(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  return typeof code === "string" && code.startsWith(STOP_CODE)
    ? new Stop(code.slice(STOP_CODE.length) as StopStatus, message)
    : error;
}
