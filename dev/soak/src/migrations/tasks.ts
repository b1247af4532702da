import type { Point } from "../system_calls/points.ts";
import { type Rehearsed, rehearse } from "./rehearsal.ts";
import type { Scenario } from "./scenarios.ts";
import type { Fault } from "./disturbed_run.ts";

/** One run that is disturbed at one point. */
export interface Task {
  rehearsed: Rehearsed;
  place: string;
  point: Point;
  fault: Fault;
}

/** Kind of disturbance for every point. */
export type Way = "kill" | "fail" | "interrupt";

/**
 * Every disturbed run of a scenario.
 *
 * @param place An empty directory for all of them.
 */
export async function tasksOf(scenario: Scenario, place: string, way: Way): Promise<Task[]> {
  return tasksAt(await rehearse(scenario, place), place, way);
}

/** All disturbed runs of a scenario that was rehearsed in that place: one rehearsal serves several ways. */
export function tasksAt(rehearsed: Rehearsed, place: string, way: Way): Task[] {
  return rehearsed.points.flatMap((point) => faultsAt(point, way).map((fault) => ({ rehearsed, place, point, fault })));
}

function faultsAt({ process }: Point, way: Way): Fault[] {
  if (way === "fail") return ["error=EIO", "error=ENOSPC"];
  if (way === "kill") return process === 0 ? ["kill"] : ["kill", "kill_child"];
  // The children leave signals to the program.
  return process === 0 ? ["signal=INT", "signal=TERM"] : [];
}
