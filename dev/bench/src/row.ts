import type { Side } from "./measure/measure.ts";
import type { Program } from "./peers/programs.ts";

/** Directories, databases and size of a row's run. */
export interface Place {
  /** An empty directory for this row; both sides work in it, under separate names. */
  directory: string;
  /** Data that several rows use, made once in a run. */
  shared: string;
  /** Number of rows of the data. */
  rows: number;
  /** Databases of one server, if the row needs PostgreSQL or Citus. */
  postgres?: Addresses;
  /** Databases of a cluster, if the row needs Citus. */
  cluster?: Addresses;
}

/** Addresses of databases. */
export interface Addresses {
  /** An empty database for this row; each side has its own schema in it. */
  own: string;
  /** Data that several rows use, made once in a run. */
  shared: string;
}

export type MakeSide = (place: Place) => Side | Promise<Side>;

/** Requirement of a row: a program, a package, or a server. */
export type Need = Program | "libsql" | "PostgreSQL" | "Citus";

/** One claim: two sides that are compared, and the ratio that must be reached. */
export interface Row {
  /** Name on the command line. */
  name: string;
  what: string;
  peer: string;
  rounds: number;
  /** The goal, as a maximum of the ratio (ours / peer); absent without a goal. */
  atMost?: number;
  /** Quantity of the goal; time if absent. */
  goalOf?: "memory";
  /** Minimum number of rows for the goal: below it, the start of a program dominates. */
  goalFrom?: number;
  /** Number of rows of its data without `--rows`; absent if the size is fixed. */
  rows?: number;
  /** Maximum for `--rows`. */
  mostRows?: number;
  /** Requirement without which the row cannot run. */
  needs?: Need;
  /** The chart that shows it at several sizes. Our side is the same in all rows of a chart. */
  chart?: string;
  /** Makes the sides' data before they start, so that it does not count for their memory. */
  data?: (place: Place) => void | Promise<void>;
  /** Each side is created, and works, in its own process. */
  sides: { ours: MakeSide; peer: MakeSide };
}
