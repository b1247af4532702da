import type { Measurement } from "./measure.ts";
import type { Row } from "./row.ts";

/** A row with what it measured. */
export interface Result {
  row: Row;
  measurement: Measurement;
  /** How many rows the data had; null where the size is fixed. */
  rows: number | null;
}

/** Plain data for machines, one object a row. */
export function machineReport(results: Result[]): unknown {
  return results.map(({ row, measurement, rows }) => ({
    name: row.name,
    what: row.what,
    rows,
    against: row.peer,
    rounds: row.rounds,
    unit: "milliseconds an operation",
    ...measurement,
    goal: row.atMost ?? null,
    kept: kept({ row, measurement, rows }),
  }));
}

/** Whether the goal was kept; null where there is none, or none at this size. */
export function kept({ row, measurement, rows }: Result): boolean | null {
  if (row.atMost === undefined || (rows ?? 0) < (row.goalFrom ?? 0)) return null;
  return measurement.timeRatio.median <= row.atMost;
}

/** A few lines for a person. */
export function humanReport(result: Result): string {
  const { row, measurement, rows } = result;
  const { median, low, high } = measurement.timeRatio;
  const isKept = kept(result);
  const verdict =
    isKept === null ? ` from ${row.goalFrom?.toLocaleString("en")} rows on` : isKept ? ": kept" : ": MISSED";
  const goal = row.atMost === undefined ? "" : `; goal: at most ${shown(row.atMost)}${verdict}`;
  return [
    `${row.name}: ${row.what}${rows === null ? "" : `, ${rows.toLocaleString("en")} rows`}`,
    `  against ${row.peer}`,
    `  time ratio ${shown(median)} (middle half ${shown(low)} to ${shown(high)}, ${row.rounds} rounds)${goal}`,
    ...measurement.remarks.map((remark) => `  ${remark}`),
  ].join("\n");
}

/** Below 1 the inverse says more: "1/25" is 25 times as fast. */
function shown(ratio: number): string {
  return ratio < 0.67 ? `1/${(1 / ratio).toPrecision(3)}` : ratio.toPrecision(3);
}
