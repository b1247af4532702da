import { kept, memoryRatio, type Result } from "../run/result.ts";

/** The machine-readable report, one object for each row. */
export function machineReport(results: readonly Result[]): unknown {
  return results.map((result) => {
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
  });
}
