import type { Row } from "../row.ts";
import type { Spread } from "../measure/measure.ts";

/** Measurement of one side. */
export interface SideResult {
  name: string;
  /** Milliseconds per operation. */
  time: Spread;
  /** Peak in MB; null if it cannot be measured. */
  memory: number | null;
  remarks: string[];
}

/** Measurement of a comparison. */
export interface Measurement {
  ours: SideResult;
  peer: SideResult;
  /** Ratios of the rounds: our time divided by the peer's. Below 1 means that we are faster. */
  timeRatio: Spread;
}

/** A row with its measurement, or the reason why it did not run. */
export type Result = {
  row: Row;
  /** Number of rows of the data; null if the size is fixed. */
  rows: number | null;
  rounds: number;
} & ({ measurement: Measurement; notRun?: never } | { notRun: string; measurement?: never });

/** Our peak memory divided by the peer's; null if one of them cannot be measured. */
export function memoryRatio({ ours, peer }: Measurement): number | null {
  return ours.memory === null || peer.memory === null ? null : ours.memory / peer.memory;
}

/** True if the goal was reached; null without a goal at this size, or if the row did not run. */
export function kept({ row, measurement, rows }: Result): boolean | null {
  if (measurement === undefined || row.atMost === undefined || (rows ?? 0) < (row.goalFrom ?? 0)) return null;
  const reached = row.goalOf === "memory" ? memoryRatio(measurement) : measurement.timeRatio.median;
  return reached === null ? null : reached <= row.atMost;
}

/** Below 1 the inverse is clearer: "1/25" is 25 times as fast. */
export function shownRatio(ratio: number): string {
  return ratio < 0.67 ? `1/${threeDigits(1 / ratio)}` : threeDigits(ratio);
}

/** Three significant digits, with a comma for thousands instead of an exponent. */
function threeDigits(number: number): string {
  return number < 1000 ? number.toPrecision(3) : Number(number.toPrecision(3)).toLocaleString("en");
}

export function shownSpread({ median, low, high }: Spread): string {
  return `${shownRatio(median)} (${shownRatio(low)} to ${shownRatio(high)})`;
}

export function shownMemory(memory: number | null): string {
  return memory === null ? "unknown" : `${memory.toFixed(0)} MB`;
}

export function shownRows(rows: number): string {
  return rows.toLocaleString("en");
}

/** The goal in words; empty without a goal. */
export function shownGoal({ atMost, goalOf, goalFrom }: Row): string {
  if (atMost === undefined) return "";
  const of = goalOf === "memory" ? "memory " : "";
  return `${of}at most ${shownRatio(atMost)}${goalFrom === undefined ? "" : ` from ${shownRows(goalFrom)} rows on`}`;
}

export function verdict(result: Result): string {
  const isKept = kept(result);
  return isKept === null ? "" : isKept ? "kept" : "MISSED";
}
