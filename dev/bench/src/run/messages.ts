/** Request to a side's process; `end` is the last. */
export type Question = "round" | "end";

/** The side is ready. */
export interface Ready {
  name: string;
}

/** A round is done. */
export interface Done {
  milliseconds: number;
}

/** Everything is done; memory in MB, null if it cannot be measured. */
export interface Ending {
  memory: number | null;
  remarks: string[];
}

export type Answer = Ready | Done | Ending;
