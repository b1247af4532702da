/** What a side's process is asked for; `end` is the last. */
export type Question = "round" | "end";

/** The side is ready. */
export interface Ready {
  name: string;
}

/** A round is done. */
export interface Done {
  milliseconds: number;
}

/** All is done; memory in MB, null where nothing can tell it. */
export interface Ending {
  memory: number | null;
  remarks: string[];
}

export type Answer = Ready | Done | Ending;
