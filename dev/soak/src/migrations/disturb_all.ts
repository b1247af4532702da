import { rmSync } from "node:fs";
import { buildProgram } from "../../../tools/build_program.ts";
import { type Round, shareOf } from "../soak.ts";
import { matchesPoint, nameOf, spread, startOf } from "../system_calls/points.ts";
import { sideBySide } from "../system_calls/side_by_side.ts";
import { disturb } from "./disturb.ts";
import { SCENARIOS } from "./scenarios.ts";
import { type Task, tasksOf, type Way } from "./tasks.ts";
import { temporaryFolder } from "../../../../test/temporary_folder.ts";

/** Disturbs every command of perdura-migrate on every layout, at every system call that changes the disk. */
export async function disturbMigrations(round: Round, way: Way): Promise<void> {
  const wanted = SCENARIOS.filter(({ name }) => round.wants(name));
  if (wanted.length === 0) return;
  const built = buildProgram("migrator", "perdura-migrate");
  process.env["PERDURA_MIGRATE"] = built.program;
  try {
    for (const scenario of wanted) {
      if (round.isOver()) return;
      const place = temporaryFolder(round.place);
      const all = await tasksOf(scenario, place, way);
      const tasks = all.filter(({ point }) => matchesPoint(nameOf(point), round.point));
      if (way === "kill" && round.point === undefined)
        round.count({
          row: scenario.name,
          lost: all[0]?.rehearsed.unsynced.map((text) => `after a power cut: ${text}`) ?? [],
        });
      await sideBySide(spread(tasks, shareOf(tasks.length, round), startOf(round.seed)), (task) =>
        tryTask(round, task),
      );
      rmSync(place, { recursive: true, force: true });
    }
  } finally {
    built.remove();
  }
}

async function tryTask(round: Round, { rehearsed, place, point, fault }: Task): Promise<void> {
  if (round.isOver()) return;
  const { faults } = await disturb(rehearsed, point, fault, place);
  const name = nameOf(point);
  round.count({
    row: rehearsed.scenario.name,
    wrong: faults.map((text) => `${fault} at ${name}, ${point.name}(${point.text}: ${text}`),
    repeat: `pnpm soak ${soakOf(fault)} --only "${rehearsed.scenario.name}" --point ${name}`,
  });
}

/** The soak that reports a fault. */
function soakOf(fault: Task["fault"]): string {
  if (fault.startsWith("error")) return "errors";
  return fault.startsWith("signal") ? "interrupt" : "crash";
}
