import type { Trial } from "./soak.ts";

/** A row of the summary. */
export interface TallyRow {
  soak: string;
  row: string;
  trials: number;
  /** Number of trials without loss or fault. */
  survived: number;
  lost: number;
  wrong: number;
  remark: string;
}

/** A lost write or another fault. */
export interface Complaint {
  soak: string;
  row: string;
  kind: "lost" | "wrong";
  text: string;
  /** The command that repeats it. */
  repeat: string;
}

/** Sums of the trials of a run. */
export class Tally {
  readonly complaints: Complaint[] = [];
  readonly #rows = new Map<string, TallyRow>();

  get rows(): TallyRow[] {
    return [...this.#rows.values()];
  }

  /**
   * Counts a trial.
   *
   * @param repeat The command that repeats it, unless the trial has its own.
   * @returns Its losses and faults.
   */
  count(soak: string, trial: Trial, repeat: string): Complaint[] {
    const { trials = 1, lost = [], wrong = [] } = trial;
    const row = this.#rowOf(soak, trial.row);
    row.trials += trials;
    row.survived += Math.max(
      0,
      trials - (trials === 1 ? Math.min(1, lost.length + wrong.length) : lost.length + wrong.length),
    );
    row.lost += lost.length;
    row.wrong += wrong.length;
    const complaintsOf = (kind: Complaint["kind"], texts: readonly string[]): Complaint[] =>
      texts.map((text) => ({ soak, row: trial.row, kind, text, repeat: trial.repeat ?? repeat }));
    const complaints = [...complaintsOf("lost", lost), ...complaintsOf("wrong", wrong)];
    this.complaints.push(...complaints);
    return complaints;
  }

  /** Sets the remark of a row. */
  remark(soak: string, row: string, text: string): void {
    this.#rowOf(soak, row).remark = text;
  }

  /** True if there were trials, and nothing was lost or wrong. */
  get isFine(): boolean {
    return this.complaints.length === 0 && this.rows.some(({ trials }) => trials > 0);
  }

  #rowOf(soak: string, row: string): TallyRow {
    const key = `${soak}\n${row}`;
    const found = this.#rows.get(key) ?? { soak, row, trials: 0, survived: 0, lost: 0, wrong: 0, remark: "" };
    this.#rows.set(key, found);
    return found;
  }
}
