import { rmSync } from "node:fs";
import { type Round, shareOf } from "../soak.ts";
import { matchesPoint, spread, startOf } from "../system_calls/points.ts";
import { sideBySide } from "../system_calls/side_by_side.ts";
import { disturb, type Fault } from "./disturb.ts";
import { errorsFor } from "./errors_for.ts";
import { OPERATIONS } from "./operations.ts";
import { nameOf, type Place, rehearse } from "./rehearsal.ts";
import { temporaryFolder } from "../../../../test/temporary_folder.ts";

/**
 * Disturbs every operation: kills it at every call that changes the disk, or lets every call that touches a file fail.
 */
export async function disturbOperations(round: Round, way: "kill" | "fail"): Promise<void> {
  for (const operation of OPERATIONS) {
    if (round.isOver() || !round.wants(operation.name)) continue;
    const place = temporaryFolder(round.place);
    const rehearsed = await rehearse(operation, place);
    if (way === "kill" && round.point === undefined)
      round.count({ row: operation.name, lost: rehearsed.unsynced.map((text) => `after a power cut: ${text}`) });
    const tasks: [Place, Fault][] =
      way === "kill"
        ? rehearsed.changing.map((point) => [point, "kill"])
        : rehearsed.touching.flatMap((point) => errorsFor(point).map((error): [Place, Fault] => [point, error]));
    const wanted = tasks.filter(([point]) => matchesPoint(nameOf(point), round.point));
    let missed = 0;
    await sideBySide(spread(wanted, shareOf(wanted.length, round), startOf(round.seed)), async ([point, fault]) => {
      if (round.isOver()) return;
      const faults = await disturb(rehearsed, point, fault, place);
      if (faults === undefined) {
        missed += 1;
        round.remark(operation.name, `${missed} calls were not repeated, such as ${nameOf(point)}`);
        return;
      }
      const name = nameOf(point);
      round.count({
        row: operation.name,
        wrong: faults.map((text) => `${fault} at ${name}, ${point.name}(${point.text}: ${text}`),
        repeat: `pnpm soak ${way === "kill" ? "crash" : "errors"} --only "${operation.name}" --point ${name}`,
      });
    });
    rmSync(place, { recursive: true, force: true });
  }
}
