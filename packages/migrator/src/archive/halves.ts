import { HelperProcess } from "../io/child/helper_process.ts";
import { type StopStatus, Stop } from "../core/stop.ts";
import type { Compared } from "./read/compare_entries.ts";
import type { EntryName } from "./format/entry_name.ts";
import type { StateCounts } from "./states/count_states.ts";

/** What the helper process for states is asked: the second half of a piece of work that is done in two at the same time. */
export type HalfRequest =
  | ({ work: "compare" } & HalfComparison)
  | { work: "write"; root: string; listing: string; archive: string };

/** The entries of an archive from a name on, to be compared with a directory, contents included. */
interface HalfComparison {
  archive: string;
  root: string;
  from: EntryName;
}

/** The answers. */
export interface HalfCompared {
  found: number;
  differences: string[];
  /** How many more differences there are than are named. */
  more: number;
}
export type HalfWritten = StateCounts;

/** A helper process for states. */
export function helperForStates(signal: AbortSignal | undefined): HelperProcess {
  return new HelperProcess(new URL("./state_work", import.meta.url), signal);
}

/** Work that a helper process is doing. */
interface Half<Answer> {
  /** How many entries are done. */
  readonly done: number;
  /** @throws Stop as the work itself would have; whatever else ended it. */
  answer: () => Promise<Answer>;
}

/** Starts the second half of a piece of work. */
export function startHalf(helper: HelperProcess, request: HalfRequest & { work: "write" }): Half<HalfWritten>;
export function startHalf(helper: HelperProcess, request: HalfRequest & { work: "compare" }): Half<HalfCompared>;
export function startHalf(helper: HelperProcess, request: HalfRequest): Half<unknown> {
  const half = { done: 0, answer: () => Promise.resolve<unknown>(undefined) };
  // Looked at when the first half is done; unhandled a failure would end the program before.
  const outcome = helper
    .ask(request, (done) => (half.done = done))
    .then(
      (answer: unknown) => ({ answer }),
      (error: unknown) => ({ error: stopOfHelper(error) }),
    );
  half.answer = async () => {
    const settled = await outcome;
    if ("error" in settled) throw settled.error;
    return settled.answer;
  };
  return half;
}

/** Compares the second half of an archive. */
export function comparedBeside(
  helper: HelperProcess,
  comparison: HalfComparison,
): { readonly done: number; addTo: (compared: Compared) => Promise<void> } {
  const half = startHalf(helper, { work: "compare", ...comparison });
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

/** How a {@link Stop} travels: only its words and a code come through. */
const STOP_CODE = "STOP_";

export function stopForTravel(error: unknown): unknown {
  return error instanceof Stop
    ? Object.assign(new Error(error.message), { code: `${STOP_CODE}${error.status}` })
    : error;
}

function stopOfHelper(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  return typeof code === "string" && code.startsWith(STOP_CODE)
    ? new Stop(code.slice(STOP_CODE.length) as StopStatus, message)
    : error;
}
