/** What came of one trial, or of several of a kind that were judged together. */
export interface Trial {
  /** The row of the table that it counts in, for example `save a library as JSON`. */
  row: string;
  /** How many; 1 unless stated. */
  trials?: number;
  /** What was acknowledged, or was there before, and is gone: a sentence each. */
  lost?: readonly string[];
  /** Whatever else is not as it must be, a crash and a hang included: a sentence each. */
  wrong?: readonly string[];
  /** The command that does it again, where the seed alone does not. */
  again?: string;
}

/** One round of a soak: what it is to do, and where it tells what came of it. */
export interface Round {
  /** Rounds of the same seed try the same things. From 0 to 999,999,999. */
  seed: number;
  /** How much of a full round: above 0, at most 1. The tests do a small part of one. */
  share: number;
  /** An empty directory on the file system that is to be tried; removed after the round. */
  place: string;
  /** True for a row that is wanted. */
  wants(row: string): boolean;
  /** Only this point of a run (`program:pwrite64:17`), where somebody wants to see it again. */
  point: string | undefined;
  /** True once the time is over: a soak begins no further trial then. */
  isOver(): boolean;
  /** Counts a trial. */
  count(trial: Trial): void;
  /** Puts a figure beside a row, in place of an earlier one: `largest log 4.1 MB`. */
  remark(row: string, text: string): void;
}

/** One kind of trouble. */
export interface Soak {
  /** How it is called on the command line. */
  name: string;
  /** What it shows, in one line. */
  about: string;
  /** What this machine lacks for it, in a sentence; undefined where it can run. */
  missing(): string | undefined;
  run(round: Round): Promise<void>;
}

/**
 * How many trials of so many belong to a round's share; never none.
 *
 * @param whole Those of a full round.
 */
export function shareOf(whole: number, { share }: Pick<Round, "share">): number {
  return Math.max(1, Math.ceil(whole * share));
}
