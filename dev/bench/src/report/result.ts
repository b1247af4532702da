import type { Row } from "../row.ts";
import type { Spread } from "../run/measure.ts";

/** What one side measured. */
export interface SideResult {
  name: string;
  /** Milliseconds an operation. */
  time: Spread;
  /** Peak in MB; null where nothing can tell it. */
  memory: number | null;
  remarks: string[];
}

/** What a comparison measured. */
export interface Measurement {
  ours: SideResult;
  peer: SideResult;
  /** The rounds' ratios: how many times the peer's time ours takes. Below 1 means that we are faster. */
  timeRatio: Spread;
}

/** A row with what it measured, or why it did not. */
export type Result = {
  row: Row;
  /** How many rows the data had; null where the size is fixed. */
  rows: number | null;
  rounds: number;
} & ({ measurement: Measurement; notRun?: never } | { notRun: string; measurement?: never });

/** How many times the peer's peak memory ours is; null where nothing can tell one of them. */
export function memoryRatio({ ours, peer }: Measurement): number | null {
  return ours.memory === null || peer.memory === null ? null : ours.memory / peer.memory;
}

/** Whether the goal was kept; null where there is none, or none at this size, or the row did not run. */
export function kept({ row, measurement, rows }: Result): boolean | null {
  if (measurement === undefined || row.atMost === undefined || (rows ?? 0) < (row.goalFrom ?? 0)) return null;
  const reached = row.goalOf === "memory" ? memoryRatio(measurement) : measurement.timeRatio.median;
  return reached === null ? null : reached <= row.atMost;
}

/** Below 1 the inverse says more: "1/25" is 25 times as fast. */
export function shownRatio(ratio: number): string {
  return ratio < 0.67 ? `1/${threeDigits(1 / ratio)}` : threeDigits(ratio);
}

/** Three digits that count, and a comma for thousands instead of an exponent. */
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

/** The goal in words; empty where there is none. */
export function shownGoal({ atMost, goalOf, goalFrom }: Row): string {
  if (atMost === undefined) return "";
  const of = goalOf === "memory" ? "memory " : "";
  return `${of}at most ${shownRatio(atMost)}${goalFrom === undefined ? "" : ` from ${shownRows(goalFrom)} rows on`}`;
}

export function verdict(result: Result): string {
  const isKept = kept(result);
  return isKept === null ? "" : isKept ? "kept" : "MISSED";
}
