import type { Measurement } from "./measure.ts";
import type { Row } from "./row.ts";

/** A row with what it measured. */
export interface Result {
  row: Row;
  measurement: Measurement;
}

/** Plain data for machines, one object a row. */
export function machineReport(results: Result[]): unknown {
  return results.map(({ row, measurement }) => ({
    name: row.name,
    what: row.what,
    against: row.peer,
    rounds: row.rounds,
    unit: "milliseconds an operation",
    ...measurement,
    goal: row.atMost ?? null,
    kept: kept({ row, measurement }),
  }));
}

/** Whether the goal was kept; null where there is none. */
export function kept({ row, measurement }: Result): boolean | null {
  return row.atMost === undefined ? null : measurement.timeRatio.median <= row.atMost;
}

/** Three lines for a person. */
export function humanReport(result: Result): string {
  const { row, measurement } = result;
  const { median, low, high } = measurement.timeRatio;
  const goal =
    row.atMost === undefined
      ? ""
      : `; goal: at most ${shown(row.atMost)}: ${kept(result) === true ? "kept" : "MISSED"}`;
  return [
    `${row.name}: ${row.what}`,
    `  against ${row.peer}`,
    `  time ratio ${shown(median)} (middle half ${shown(low)} to ${shown(high)}, ${row.rounds} rounds)${goal}`,
  ].join("\n");
}

/** Below 1 the inverse says more: "1/25" is 25 times as fast. */
function shown(ratio: number): string {
  return ratio < 0.67 ? `1/${(1 / ratio).toPrecision(3)}` : ratio.toPrecision(3);
}
