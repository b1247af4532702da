import { spread } from "../../../../dev/soak/src/system_calls/points.ts";
import { RUNS } from "../properties/runs.ts";

/** Steps, numbered from 1, at which a run is killed: a third of them; `PERDURA_RUNS=3` tries all. */
export function triedSteps(count: number): number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  return spread(all, Math.ceil(count / 3) * RUNS, 0);
}
