/** Outcome of one trial, or of several of a kind that were judged together. */
export interface Trial {
  /** The row of the table that it counts in, for example `save a library as JSON`. */
  row: string;
  /** Number of trials; 1 if absent. */
  trials?: number;
  /** Data that was acknowledged, or existed before, and is lost: a sentence each. */
  lost?: readonly string[];
  /** Any other fault, including a crash or a timeout: a sentence each. */
  wrong?: readonly string[];
  /** The command that repeats it, if the seed alone does not. */
  repeat?: string;
}

/** One round of a soak: its settings, and the receiver of its outcomes. */
export interface Round {
  /** Rounds with the same seed make the same trials. From 0 to 999,999,999. */
  seed: number;
  /** Part of a full round: above 0, at most 1. The tests run a small part. */
  share: number;
  /** An empty directory on the file system under test; removed after the round. */
  place: string;
  /** True for a selected row. */
  wants(row: string): boolean;
  /** The only point to run (`program:pwrite64:17`), to repeat a trial. */
  point: string | undefined;
  /** True once the time is over: a soak begins no further trial then. */
  isOver(): boolean;
  /** Counts a trial. */
  count(trial: Trial): void;
  /** Puts a figure into a row, in place of an earlier one: `largest log 4.1 MB`. */
  remark(row: string, text: string): void;
}

/** One kind of fault injection. */
export interface Soak {
  /** Name on the command line. */
  name: string;
  /** Purpose in one line. */
  about: string;
  /** Missing requirement of this machine, in a sentence; undefined if it can run. */
  missing(): string | undefined;
  run(round: Round): Promise<void>;
}

/**
 * Number of trials in a round's share; at least 1.
 *
 * @param whole The number of trials in a full round.
 */
export function shareOf(whole: number, { share }: Pick<Round, "share">): number {
  return Math.max(1, Math.ceil(whole * share));
}
