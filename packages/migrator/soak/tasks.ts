import { disturb } from "./disturb.ts";
import { nameOf, type Point } from "./points.ts";
import { type Rehearsed, rehearse } from "./rehearsal.ts";
import type { Scenario } from "./scenarios.ts";
import type { Fault } from "./spoiled_run.ts";

/** One run that is disturbed at one point. */
export interface Task {
  rehearsed: Rehearsed;
  place: string;
  point: Point;
  fault: Fault;
}

/** What to do at every point. */
export type Way = "kill" | "fail" | "interrupt";

/**
 * Every disturbed run of a scenario.
 *
 * @param place An empty directory for all of them.
 */
export async function tasksOf(scenario: Scenario, place: string, way: Way): Promise<Task[]> {
  const rehearsed = await rehearse(scenario, place);
  return rehearsed.points.flatMap((point) => faultsAt(point, way).map((fault) => ({ rehearsed, place, point, fault })));
}

function faultsAt({ process }: Point, way: Way): Fault[] {
  if (way === "fail") return ["error=EIO", "error=ENOSPC"];
  if (way === "kill") return process === 0 ? ["kill"] : ["kill", "kill_child"];
  // The children leave it to the program to end.
  return process === 0 ? ["signal=INT", "signal=TERM"] : [];
}

/** Which way a fault belongs to. */
function wayOf(fault: Fault): Way {
  if (fault.startsWith("error")) return "fail";
  return fault.startsWith("signal") ? "interrupt" : "kill";
}

/** Disturbs one run; returns lines that say what is wrong with what it left and how to see it again, or none. */
export async function complaintsOn({ rehearsed, place, point, fault }: Task): Promise<string[]> {
  const { faults } = await disturb(rehearsed, point, fault, place);
  if (faults.length === 0) return [];
  const { name } = rehearsed.scenario;
  const again = `--layout "${name}" --point ${nameOf(point)} --way ${wayOf(fault)}`;
  return [
    `${name}, ${fault} at ${nameOf(point)}, ${point.name}(${point.text}`,
    ...faults.map((text) => `  ${text.slice(0, 2000)}`),
    `  again: pnpm soak:migrate ${again}`,
  ];
}
