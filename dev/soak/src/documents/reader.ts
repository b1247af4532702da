import type { Chance } from "../chance.ts";

/** Where the documents of one worker lie. Beside it is a directory that nothing may touch. */
export interface Bench {
  /** Empty when the worker begins. */
  directory: string;
}

/** The same for one document. */
export interface BenchOfDocument extends Bench {
  /** Its number. */
  index: number;
}

/** What reads documents, and what has to come of it. */
export interface Reader {
  /** The row of the table. */
  row: string;
  /** How many documents a full round gives it. */
  whole: number;
  /** How many one process gets, where that is not as many as most. */
  piece?: number;
  /** What the worker needs to begin, for example an open database. */
  open(bench: Bench): Promise<Try> | Try;
}

/** Makes one document and gives it to the reader. */
export interface Try {
  /** @returns What is not as it must be: a sentence each. */
  document(chance: Chance, bench: BenchOfDocument): Promise<string[]> | string[];
  /** Ends what was begun, and says what only shows now. */
  close?(): Promise<string[]> | string[];
}
