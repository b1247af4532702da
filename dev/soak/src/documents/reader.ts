import type { Chance } from "../../../../test/hostile/chance.ts";

/** Place of the documents of one worker. A directory next to it must never be changed. */
export interface Bench {
  /** Empty when the worker begins. */
  directory: string;
}

/** Place of one document. */
export interface BenchOfDocument extends Bench {
  /** Number of the document. */
  index: number;
}

/** A reader of documents, with the check of its results. */
export interface Reader {
  /** The row of the table. */
  row: string;
  /** Number of documents in a full round. */
  whole: number;
  /** Number of documents for one process, if not the default. */
  piece?: number;
  /** Prepares the worker, for example opens a database. */
  open(bench: Bench): Promise<Try> | Try;
}

/** Makes one document and gives it to the reader. */
export interface Try {
  /** @returns Faults, a sentence each. */
  document(chance: Chance, bench: BenchOfDocument): Promise<string[]> | string[];
  /** Closes what was opened, and reports faults that show only then. */
  close?(): Promise<string[]> | string[];
}
