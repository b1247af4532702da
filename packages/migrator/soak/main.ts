import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildProgram } from "../../../tools/build_program.ts";
import { type Wishes, wishesFrom } from "./arguments.ts";
import { nameOf, spread } from "./points.ts";
import { sideBySide } from "./side_by_side.ts";
import { canTrace } from "./strace.ts";
import { complaintsOn, type Task, tasksOf } from "./tasks.ts";

/** `pnpm soak:migrate`: see `--help`. */
async function main(words: readonly string[]): Promise<number> {
  const wishes = wishesFrom(words);
  if (typeof wishes === "string") {
    console.log(wishes);
    return 0;
  }
  if (!canTrace()) {
    console.error("The soak needs strace, and the right to trace (on Debian: apt-get install strace).");
    return 2;
  }
  const work = mkdtempSync(join(tmpdir(), "perdura-soak-"));
  const built = buildProgram("migrator", "perdura-migrate");
  process.env["PERDURA_MIGRATE"] = built.program;
  try {
    return await runAll(wishes, work);
  } finally {
    built.remove();
    rmSync(work, { recursive: true, force: true });
  }
}

async function runAll({ scenarios, way, point: wanted, points, start }: Wishes, work: string): Promise<number> {
  const began = performance.now();
  let [tried, failures] = [0, 0];
  for (const scenario of scenarios) {
    const place = mkdtempSync(join(work, "run-"));
    const tasks = (await tasksOf(scenario, place, way)).filter(
      ({ point }) => wanted === undefined || nameOf(point) === wanted,
    );
    const chosen = spread(tasks, Math.ceil(points / scenarios.length), start);
    const bad = (await sideBySide(chosen, isFine)).filter((fine) => !fine).length;
    console.log(`${scenario.name}: ${chosen.length} of ${tasks.length} points, ${bad} failures`);
    tried += chosen.length;
    failures += bad;
    rmSync(place, { recursive: true, force: true });
  }
  console.log(`${tried} points, ${failures} failures, ${Math.round((performance.now() - began) / 1000)} s`);
  return failures === 0 && tried > 0 ? 0 : 1;
}

async function isFine(task: Task): Promise<boolean> {
  const complaints = await complaintsOn(task);
  for (const line of complaints) console.log(line);
  return complaints.length === 0;
}

process.exitCode = await main(process.argv.slice(2));
