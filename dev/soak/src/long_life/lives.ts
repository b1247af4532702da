import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Round } from "../soak.ts";
import { shareOf } from "../soak.ts";
import { judgeLife, judgeLog } from "./judge_life.ts";
import { Life } from "./life.ts";
import type { Measure } from "./measure.ts";
import { layHistory, recountFaults } from "./history.ts";

/** Settings of a life. */
export interface LifePlan {
  row: string;
  round: Round;
  line: "15" | "16";
  hours: number;
  /** Simulated seconds of an hour: 3600, or fewer in a sample. */
  secondsAnHour: number;
}

/** Number of rows recorded before, so that the database exceeds SQLite's page cache. */
const HISTORY = 300_000;

/** Number of times that everything is opened and closed in an hour. */
const TURNS = 250;

function placeOf({ round, row }: LifePlan): string {
  const place = join(round.place, row.replaceAll(/\W+/g, "-"));
  mkdirSync(place);
  return place;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * An agent that lives all hours in one process. In every fourth hour another process holds a snapshot from its
 * beginning, so that the log cannot be emptied; in the hour after it, another process has an idle connection.
 */
export async function liveOn(plan: LifePlan): Promise<void> {
  const { row, round, line, hours, secondsAnHour } = plan;
  const place = placeOf(plan);
  const history = layHistory(line, place, shareOf(HISTORY, round));
  const life = new Life("live.ts", [line, place, String(secondsAnHour)]);
  const held = new Set<number>();
  for (let hour = 0; hour < hours && !round.isOver(); hour += 1) {
    const way = hour % 4 === 1 ? "hold" : hour % 4 === 2 ? "idle" : undefined;
    const holder = way === undefined ? undefined : new Life("hold.ts", [join(place, "metrics.db"), way]);
    await holder?.heard("holding");
    if (way === "hold") held.add(hour);
    await life.nextHour();
    await holder?.end();
  }
  const { measures } = life;
  const wrong = [...(await life.end()), ...shortfall(measures, plan)];
  if (measures.length === hours) wrong.push(...judgeLife(measures), ...judgeLog(measures, held, secondsAnHour));
  const expected = history + measures.length * secondsAnHour;
  round.count({ row, trials: measures.length * secondsAnHour, wrong, lost: recountFaults(line, place, expected) });
  round.remark(row, remarkOf(measures, plan));
}

/** Reports a life that ended too early without an interruption, whatever its exit code. */
export function shortfall(measures: readonly Measure[], { hours, round }: Pick<LifePlan, "hours" | "round">): string[] {
  return measures.length < hours && !round.isOver() ? [`it ended after ${measures.length} of ${hours} hours`] : [];
}

/**
 * Starts a new process each hour: after a clean close, after an exit without closing, and after a kill. Each must find
 * everything that was recorded before.
 */
export async function restart(plan: LifePlan): Promise<void> {
  const { row, round, line, hours, secondsAnHour } = plan;
  const place = placeOf(plan);
  const wrong: string[] = [];
  let [processes, lived, largest] = [0, 0, 0];
  for (let hour = 0; hour < hours && !round.isOver(); hour += 1) {
    const life = new Life("live.ts", [line, place, String(secondsAnHour), hour % 3 === 1 ? "exit" : "close"]);
    const total = await life.heard("total");
    if (total !== String(lived)) wrong.push(`hour ${hour + 1} began with ${total} rows, but ${lived} were recorded`);
    await life.nextHour();
    processes += 1;
    wrong.push(...shortfall(life.measures, { hours: 1, round }));
    if (hour % 3 === 2) await life.kill();
    else wrong.push(...(await life.end()));
    lived += life.measures.length * secondsAnHour;
    largest = Math.max(largest, ...life.measures.map(({ largestLog }) => largestLog));
    for (const { temporary } of life.measures)
      if (temporary.length > 0) wrong.push(`temporary files were left behind: ${temporary.join()}`);
  }
  round.count({ row, trials: lived, wrong, lost: recountFaults(line, place, lived) });
  round.remark(row, `${processes} processes, a third of them killed; largest log ${megabytes(largest)}`);
}

/** Opens and closes everything that can be opened, thousands of times. */
export async function openAndCloseOn(plan: LifePlan): Promise<void> {
  const { row, round, line, hours } = plan;
  const turns = Math.max(10, shareOf(TURNS, round));
  const life = new Life("open_and_close.ts", [line, placeOf(plan), String(turns)]);
  for (let hour = 0; hour < hours && !round.isOver(); hour += 1) await life.nextHour();
  const { measures } = life;
  const wrong = [...(await life.end()), ...shortfall(measures, plan)];
  if (measures.length === hours) wrong.push(...judgeLife(measures));
  round.count({ row, trials: turns * measures.length, wrong });
  round.remark(row, remarkOf(measures, plan));
}

/** Figures from the end of the warm-up to the end; with too few hours, they prove nothing. */
function remarkOf(measures: readonly Measure[], { hours }: LifePlan): string {
  if (measures.length < hours) return `stopped after ${measures.length} of ${hours} hours; memory was not judged`;
  const [early, late] = [measures[Math.floor(measures.length / 4)], measures.at(-1)];
  if (early === undefined || late === undefined) return "";
  const largest = Math.max(...measures.map(({ largestLog }) => largestLog));
  const log = largest === 0 ? "" : `, largest log ${megabytes(largest)}, ${megabytes(late.log)} at the end`;
  return `heap ${megabytes(early.heap)} → ${megabytes(late.heap)}, memory ${megabytes(early.memory)} → ${megabytes(late.memory)}, ${late.handles} open files${log}`;
}
