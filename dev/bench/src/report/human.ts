import { memoryRatio, type Result, shownGoal, shownMemory, shownRatio, shownRows, verdict } from "../run/result.ts";

/** A report of a few lines for the terminal. */
export function humanReport(result: Result): string {
  const { row, rows, rounds, measurement } = result;
  const head = [`${row.name}: ${row.what}${rows === null ? "" : `, ${shownRows(rows)} rows`}`, `  against ${row.peer}`];
  if (measurement === undefined) return [...head, `  not run: ${result.notRun}`].join("\n");
  const { ours, peer, timeRatio } = measurement;
  const { median, low, high } = timeRatio;
  const ratio = memoryRatio(measurement);
  const goal = shownGoal(row);
  return [
    ...head,
    `  time ratio ${shownRatio(median)} (middle half ${shownRatio(low)} to ${shownRatio(high)}, ${rounds} rounds)`,
    `  peak memory ${shownMemory(ours.memory)} against ${shownMemory(peer.memory)}${ratio === null ? "" : `, ratio ${shownRatio(ratio)}`}`,
    ...(goal === "" ? [] : [`  goal: ${goal}${verdict(result) === "" ? "" : `: ${verdict(result)}`}`]),
    ...[...ours.remarks, ...peer.remarks].map((remark) => `  ${remark}`),
  ].join("\n");
}
