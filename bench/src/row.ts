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
  /** Makes both sides inside an empty directory. */
  sides: (directory: string) => { ours: Side; peer: Side };
}
