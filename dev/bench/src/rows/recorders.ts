import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import type { MakeSide } from "../row.ts";
import type { Side } from "../measure/measure.ts";

export type Durability = "full" | "normal";

/** SQLite's names for the durability. */
export const SYNCHRONOUS = { full: "FULL", normal: "NORMAL" } as const;

/** Number of rows that a round records, enough to be measured. */
export const ROWS_A_ROUND = { full: 1000, normal: 5000 } as const;

/** Records one row per call. */
export interface Recorder {
  record(userId: string, level: number, success: boolean, responseTimeMs: number): unknown;
  close?(): void;
}

export function recording(name: string, recorder: Recorder, rows: number): Side {
  const round = (): number => {
    for (let row = 0; row < rows; row += 1) recorder.record(`user-${row % 50}`, 1 + (row % 5), row % 3 !== 0, row);
    return rows;
  };
  return { name, round, close: () => recorder.close?.() };
}

/** perdura, one row per call. */
export function perdura(path: string, durability: Durability, rows: number): Side {
  return recording("perdura", perduraRecorder(path, durability), rows);
}

export function perduraRecorder(path: string, durability: Durability): Recorder {
  const collector = new MetricsCollector(path, { durability });
  return { record: collector.recordInteraction.bind(collector), close: () => collector.close() };
}

export function perduraAt(durability: Durability, rows: number): MakeSide {
  return ({ directory }) => perdura(join(directory, "perdura.db"), durability, rows);
}
