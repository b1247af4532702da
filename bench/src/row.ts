import type { Side } from "./measure.ts";

/** One claim: what is compared with what, and the ratio that it has to keep. */
export interface Row {
  /** Name on the command line. */
  name: string;
  what: string;
  peer: string;
  rounds: number;
  /** The goal, as a time ratio (ours / peer) that may not be exceeded; absent where there is none. */
  atMost?: number;
  /** The goal is one for data of this many rows and more: below, what starting a program takes hides the rest. */
  goalFrom?: number;
  /** How many rows its data has where `--rows` says nothing; absent where the size is fixed. */
  rows?: number;
  /** Says why the row cannot be run on this machine; absent where nothing special is needed. */
  unavailable?: () => string | undefined;
  /** Makes both sides inside an empty directory. */
  sides: (directory: string, rows: number) => { ours: Side; peer: Side };
}
