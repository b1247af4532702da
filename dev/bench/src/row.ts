import type { Side } from "./run/measure.ts";
import type { Need } from "./run/needs.ts";

/** Where a row works, and at which size. */
export interface Place {
  /** An empty directory of this row; both sides work in it, under names of their own. */
  directory: string;
  /** Data that several rows use, made once in a run. */
  shared: string;
  /** How many rows the data has. */
  rows: number;
  /** Addresses of databases, where the row needs PostgreSQL. */
  postgres?: {
    /** An empty one of this row; each side has its own schema in it. */
    own: string;
    /** Data that several rows use, made once in a run. */
    shared: string;
  };
}

export type MakeSide = (place: Place) => Side | Promise<Side>;

/** One claim: what is compared with what, and the ratio that it has to keep. */
export interface Row {
  /** Name on the command line. */
  name: string;
  what: string;
  peer: string;
  rounds: number;
  /** The goal, as a ratio (ours / peer) that may not be exceeded; absent where there is none. */
  atMost?: number;
  /** What the goal is about; the time where it is not said. */
  goalOf?: "memory";
  /** The goal is one for data of this many rows and more: below, what starting a program takes hides the rest. */
  goalFrom?: number;
  /** How many rows its data has where `--rows` says nothing; absent where the size is fixed. */
  rows?: number;
  /** The size beyond which `--rows` does not take it. */
  mostRows?: number;
  /** Without what the row cannot run. */
  needs?: Need;
  /** The chart that shows it at several sizes. Our side is the same in all rows of a chart. */
  chart?: string;
  /** Makes what the sides need before they start, so that making it is no part of their memory. */
  data?: (place: Place) => void | Promise<void>;
  /** Each side is made, and works, in a process of its own. */
  sides: { ours: MakeSide; peer: MakeSide };
}
