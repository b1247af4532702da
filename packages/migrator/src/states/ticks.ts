import type { Progress } from "../core/run.ts";
import type { Stage } from "../core/progress.ts";

/** Says how many entries are done; called about every thousand of them. A request to stop arrives here. */
export type Tick = (done: number, total?: number) => Promise<void>;

/** Progress of a stage in entries. */
export function entryTicks(run: Progress, path: string, stage: Stage, detail: string): Tick {
  return (done, total) => run.progress({ path, stage, detail, done, total: total ?? null, unit: "entries" });
}
