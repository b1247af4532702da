import { type Circumstances, circumstances } from "../../../tools/measurements/circumstances.ts";
import type { Spread } from "../measure/measure.ts";
import { kept, memoryRatio, type Result } from "../run/result.ts";

/** The machine-readable report: where it was measured, and an object for each row. */
export interface MachineReport {
  made: Circumstances;
  rows: { name: string; timeRatio: Spread | null; [fact: string]: unknown }[];
}

export function machineReport(results: readonly Result[]): MachineReport {
  return { made: circumstances(), rows: results.map(rowReport) };
}

function rowReport(result: Result): MachineReport["rows"][number] {
  const { row, rows, rounds, measurement } = result;
  return {
    name: row.name,
    what: row.what,
    rows,
    against: row.peer,
    rounds,
    units: { time: "milliseconds an operation", memory: "peak in MB" },
    ours: measurement?.ours ?? null,
    peer: measurement?.peer ?? null,
    timeRatio: measurement?.timeRatio ?? null,
    memoryRatio: measurement === undefined ? null : memoryRatio(measurement),
    goal:
      row.atMost === undefined
        ? null
        : { of: row.goalOf ?? "time", atMost: row.atMost, fromRows: row.goalFrom ?? null },
    kept: kept(result),
    notRun: result.notRun ?? null,
  };
}
